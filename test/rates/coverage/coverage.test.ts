import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { BY } from "../../contract/suite/origins.ts";
import { newRate, pairOf, storeRates } from "../../contract/suite/rates-stored.ts";
import {
  assertCommonHeaders,
  assertFailure,
  assertSessionRejected,
} from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { startService, TestClock } from "../../support/service.ts";
import { openSqliteStore } from "../../support/stores.ts";

const PATH = "/v1/account/pairs";

const SATURDAY = "2026-11-21T12:00:00.000Z";

type Members = Readonly<Record<string, unknown>>;

const membersOf = ({ body }: Answer, name: "pairs" | "sources") => body[name] as readonly Members[];

const namesIn = (answer: Answer) =>
  membersOf(answer, "pairs").map(({ base, quote }) => `${base}/${quote}`);

/** A service with three pairs in place of the snapshot's, and a session. */
async function setUp(options: Parameters<typeof startService>[0] = {}) {
  await using starting = new AsyncDisposableStack();
  const clock = new TestClock(SATURDAY);
  const service = starting.use(await startService({ clock, ...options }));
  const store = starting.use(openSqliteStore(service.dataDirectory, 5000));
  service.query("DELETE FROM rates");
  await storeRates(store, [
    newRate("EUR/USD", "1.1476", "2026-11-20T15:00:00Z", "ecb"),
    newRate("USD/PLN", "3.6010", "2026-11-18T11:00:00Z", "nbp"),
    newRate("BTC/QQQQ", "81234.5", "2026-11-01T00:00:00Z"),
  ]);
  const { session, apiKey } = await service.newCustomer();
  const list = (etag?: string) =>
    service.get(PATH, { session, headers: etag === undefined ? {} : { "if-none-match": etag } });
  const listSources = async () =>
    membersOf(await service.get("/v1/account/sources", { session }), "sources");
  const disposable = starting.move();
  return {
    service,
    store,
    clock,
    session,
    apiKey,
    list,
    listSources,
    [Symbol.asyncDispose]: () => disposable.disposeAsync(),
  };
}

/** For the tests that change nothing. */
const shared = await setUp();
after(() => shared[Symbol.asyncDispose]());

suite("GET /v1/account/pairs", () => {
  test("lists each pair with names, source, calendar and suspension, ordered by pair", async () => {
    await using own = await setUp();
    await own.store.rates.suspend(pairOf("USD/PLN"), BY);
    // Of table B, which is published on Wednesdays only.
    await storeRates(own.store, [newRate("AFN/PLN", "0.05", "2026-11-18T11:00:00Z", "nbp")]);

    const answer = await own.list();

    assert.equal(answer.status, 200);
    assertCommonHeaders(answer);
    assert.deepEqual(Object.keys(answer.body), ["pairs", "next"]);
    assert.equal(answer.body.next, null);
    const [afn, ...others] = membersOf(answer, "pairs");
    assert.deepEqual([afn?.base, afn?.missed_publication], ["AFN", false]);
    assert.deepEqual(others, [
      {
        base: "BTC",
        quote: "QQQQ",
        base_name: "Bitcoin",
        quote_name: null,
        source: "import",
        missed_publication: false,
        next_publication: null,
        suspended: false,
      },
      {
        base: "EUR",
        quote: "USD",
        base_name: "Euro",
        quote_name: "US Dollar",
        source: "ecb",
        missed_publication: false,
        next_publication: "2026-11-23T15:05:00Z",
        suspended: false,
      },
      {
        base: "USD",
        quote: "PLN",
        base_name: "US Dollar",
        quote_name: "Polish Zloty",
        source: "nbp",
        missed_publication: true,
        next_publication: "2026-11-23T11:20:00Z",
        suspended: true,
      },
    ]);
  });

  test("has no figure and no time of an observation, and costs nothing", async () => {
    const { text } = await shared.list();

    for (const { rate, as_of } of shared.service.query("SELECT rate, as_of FROM rates")) {
      assert.ok(!text.includes(String(rate)), String(rate));
      assert.ok(!text.includes(String(as_of).slice(0, 19)), String(as_of));
    }
    assert.doesNotMatch(text, /as_of|"rate"|81234|1\.1476/);
    assert.equal(await shared.service.usedUnits(shared.session), 0);
  });

  test("a known ETag gets 304 without a body, in each form that RFC 9110 allows", async () => {
    const { etag = "" } = (await shared.list()).headers;
    assert.match(etag, /^"[\w-]{43}"$/);
    assertSessionRejected(await shared.service.get(PATH, { headers: { "if-none-match": etag } }));

    for (const field of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await shared.list(field);
      assert.deepEqual([answer.status, answer.text], [304, ""], field);
      assert.equal(answer.headers.etag, etag);
      assertCommonHeaders(answer);
    }
    for (const field of ['"other"', etag.slice(1, -1), "", ","]) {
      assert.equal((await shared.list(field)).status, 200, field);
    }
  });

  test("HEAD has the headers of GET and no body, also with a known ETag", async () => {
    const get = await shared.list();
    const { session } = shared;

    const head = await shared.service.call("HEAD", PATH, { session });

    assert.deepEqual([head.status, head.text], [200, ""]);
    for (const name of ["etag", "content-type", "content-length"]) {
      assert.equal(head.headers[name], get.headers[name], name);
    }
    const headers = { "if-none-match": get.headers.etag ?? "" };
    const known = await shared.service.call("HEAD", PATH, { session, headers });
    assert.deepEqual([known.status, known.text], [304, ""]);
    assert.equal(known.headers["content-length"], get.headers["content-length"]);
  });

  test("the ETag changes when a publication becomes due and when it becomes overdue, and back with the clock", async () => {
    await using own = await setUp();
    const stateAt = async (time: string) => {
      own.clock.set(time);
      const answer = await own.list();
      const pair = membersOf(answer, "pairs").find(({ base }) => base === "EUR");
      return [answer.headers.etag, pair?.missed_publication, pair?.next_publication];
    };
    // The session of the test is valid for a day.
    own.service.query("UPDATE sessions SET expires_at = '2027-01-01T00:00:00.000Z'");

    const saturday = await stateAt("2026-11-21T12:00:00.000Z");
    const monday = await stateAt("2026-11-23T11:19:59.999Z");
    const due = await stateAt("2026-11-23T17:04:59.000Z");
    const overdue = await stateAt("2026-11-23T17:05:00.000Z");

    assert.deepEqual(monday, saturday);
    assert.deepEqual(due.slice(1), [false, "2026-11-23T15:05:00Z"]);
    assert.deepEqual(overdue.slice(1), [true, "2026-11-24T15:05:00Z"]);
    assert.notEqual(overdue[0], due[0]);
    assert.deepEqual(await stateAt("2026-11-21T12:00:00.000Z"), saturday);
  });

  test("a pair of a polled source misses a publication after five minutes without a figure", async () => {
    await using own = await setUp();
    await storeRates(own.store, [newRate("ADA/USD", "0.4", SATURDAY, "kraken")]);
    const isMissed = async () => membersOf(await own.list(), "pairs")[0]?.missed_publication;
    assert.equal(await isMissed(), false);
    own.clock.set("2026-11-21T12:05:01.000Z");
    assert.equal(await isMissed(), true);
  });

  test("pages have every pair once and in order, and end with next: null", async () => {
    await using own = await setUp();
    await storeRates(own.store, [newRate("EUR/CHF", "0.93", "2026-11-20T15:00:00Z", "ecb")]);
    const get = (query: string) => own.service.get(PATH + query, { session: own.session });
    const all = ["BTC/QQQQ", "EUR/CHF", "EUR/USD", "USD/PLN"];
    assert.deepEqual(namesIn(await get("")), all);

    for (const [query, names, next] of [
      ["?limit=3", all.slice(0, 3), "EUR/USD"],
      ["?limit=3&after=EUR/USD", all.slice(3), null],
      ["?limit=4", all, null],
    ] as const) {
      const page = await get(query);
      assert.deepEqual([namesIn(page), page.body.next], [names, next]);
    }
    const eur = await get("?base=eur&limit=1");
    assert.deepEqual([namesIn(eur), eur.body.next], [["EUR/CHF"], "EUR/CHF"]);
    const rest = await get("?base=EUR&limit=1&after=eur/chf");
    assert.deepEqual([namesIn(rest), rest.body.next], [["EUR/USD"], null]);
    assert.deepEqual(namesIn(await get("?base=QQQ")), []);
    // Between two pages a pair may go.
    assert.deepEqual(namesIn(await get("?after=EUR/AAA")), all.slice(1));
  });

  for (const [query, message] of [
    ...["0", "1001", "-1", "1.5", "1e2", "", "01", "x", "1&limit=2"].map(
      (limit) => [`limit=${limit}`, "limit must be a whole number from 1 to 1,000."] as const,
    ),
    ...["E", "EUR/USD", "", "%C3%9F%C3%9F"].map(
      (base) => [`base=${base}`, "base must be a symbol: 2 to 10 of A-Z and 0-9."] as const,
    ),
    ...["EUR", "", "EUR/USD/JPY", "EUR/", "E/U"].map((after) => {
      const message = "after must be a pair such as EUR/USD.";
      return [`after=${after}`, message] as const;
    }),
    ["base=EUR&after=USD/EUR", "after must be a pair with the base EUR."],
  ]) {
    test(`with ?${query} is 400 and says the rule`, async () => {
      assertFailure(
        await shared.service.get(`${PATH}?${query}`, { session: shared.session }),
        400,
        "invalid_request",
        message,
      );
    });
  }
});

suite("GET /v1/account/sources", () => {
  test("lists the sources that own a pair or are switched on, with terms and schedule", async () => {
    await using own = await setUp();

    const [ecb, nbp, ...others] = await own.listSources();

    assert.deepEqual(ecb, {
      key: "ecb",
      name: "European Central Bank",
      country: "EU",
      group: "Western, Northern and Central Europe",
      terms:
        "Free to reuse, the European Central Bank named as the source, the figures unmodified.",
      terms_url: "https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html",
      schedule: "16:05 on working days, Europe/Berlin",
      pairs: 1,
      missed_publications: 0,
      missed_pairs: 0,
      next_publication: "2026-11-23T15:05:00Z",
      last_success_at: null,
      newest_as_of: "2026-11-20T15:00:00.000000000Z",
      archive_since: "1999-01-04",
      failures: 0,
      last_error_at: null,
    });
    assert.deepEqual([nbp?.key, nbp?.missed_publications, nbp?.terms_url], ["nbp", 2, null]);
    assert.deepEqual(others, []);
  });

  test("show the pairs of a source, and its last fetches without the operator's reason", async () => {
    await using own = await setUp();
    const stateOf = async () => {
      const answer = await own.service.get("/v1/account/sources", { session: own.session });
      assert.equal(answer.status, 200);
      assertCommonHeaders(answer);
      assert.doesNotMatch(answer.text, /proxy/);
      const [ecb, nbp] = membersOf(answer, "sources");
      assert.deepEqual([ecb?.key, nbp?.key, nbp?.pairs], ["ecb", "nbp", 1]);
      return [ecb?.pairs, ecb?.last_success_at, ecb?.failures, ecb?.last_error_at];
    };
    assert.deepEqual(await stateOf(), [1, null, 0, null]);

    await storeRates(own.store, [
      newRate("EUR/CHF", "0.9311", "2026-11-19T15:00:00Z", "ecb"),
      newRate("EUR/ISK", "144.20", "2026-11-20T15:00:00Z", "ecb"),
    ]);
    const at = "2026-11-21T11:59:00.000Z";
    await own.store.sources.add("ecb", at);
    const success = { at, newestAsOf: undefined, validators: undefined, nextAttemptAt: at };
    await own.store.sources.recordSuccess("ecb", success);
    assert.deepEqual(await stateOf(), [3, at, 0, null]);

    await own.store.sources.recordFailure("ecb", { at, reason: "proxy.lan", nextAttemptAt: at });
    assert.deepEqual(await stateOf(), [3, at, 1, at]);
    assert.equal(await own.service.usedUnits(own.session), 0);
  });
});
