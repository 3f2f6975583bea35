import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { after, suite, test } from "node:test";
import { openSqliteStore } from "../../src/store.ts";
import { createSqliteDatabase } from "../contract/sqlite-database.ts";
import { BY, newRate, pairOf, storeRates } from "../contract/suite/database.ts";
import { assertCommonHeaders, assertSessionRefused } from "../support/assertions.ts";
import type { Answer } from "../support/client.ts";
import { listingsOf } from "../support/listings.ts";
import { eventually } from "../support/mails.ts";
import { kurs, serve, temporaryDirectory } from "../support/process.ts";
import { startService, TestClock, type TestService } from "../support/service.ts";

const PATH = "/v1/account/pairs";

const SATURDAY = "2026-11-21T12:00:00.000Z";

const MANY = 100_000;

type Members = Readonly<Record<string, unknown>>;

const membersOf = ({ body }: Answer, name: "pairs" | "sources") => body[name] as readonly Members[];

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
  const disposable = starting.move();
  return {
    ...{ service, store, clock, session, apiKey, list },
    [Symbol.asyncDispose]: () => disposable.disposeAsync(),
  };
}

/** Adds pairs as an import would, all in one transaction. */
function addPairs(service: TestService, count: number): void {
  using database = service.database();
  database.exec("BEGIN");
  const insert = database.prepare(`
    INSERT INTO rates (base, quote, rate, as_of, source)
    VALUES (?, ?, '1.23456789', '2026-11-20T15:00:00.000000000Z', ?)`);
  for (let index = 0; index < count; index += 1) {
    const sources = ["ecb", "nbp", "cnb", "import"] as const;
    const quote = `Q${String(index % 316).padStart(4, "0")}`;
    insert.run(`B${Math.floor(index / 316)}`, quote, sources[index % 4] ?? "");
  }
  database.exec("UPDATE versions SET version = version + 1 WHERE name = 'rates'");
  database.exec("COMMIT");
}

suite("GET /v1/account/pairs", () => {
  test("lists each pair with names, source, calendar and suspension, ordered by pair", async () => {
    await using own = await setUp();
    await own.store.rates.suspend(pairOf("USD/PLN"), BY);

    const answer = await own.list();

    assert.equal(answer.status, 200);
    assertCommonHeaders(answer);
    assert.deepEqual(Object.keys(answer.body), ["sources", "pairs"]);
    assert.deepEqual(membersOf(answer, "pairs"), [
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

  test("lists the sources that own a pair or are switched on, with terms and schedule", async () => {
    await using own = await setUp();

    const [ecb, nbp, ...others] = membersOf(await own.list(), "sources");

    assert.deepEqual(ecb, {
      key: "ecb",
      name: "European Central Bank",
      country: "EU",
      terms:
        "Free to reuse, the European Central Bank named as the source, the figures unmodified.",
      terms_url: "https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html",
      schedule: "16:05 on working days, Europe/Berlin",
      pairs: 1,
      missed_publications: 0,
      next_publication: "2026-11-23T15:05:00Z",
      last_success_at: null,
    });
    assert.deepEqual([nbp?.key, nbp?.missed_publications, nbp?.terms_url], ["nbp", 2, null]);
    assert.deepEqual(others, []);
  });

  test("has no figure and no time of an observation, and costs nothing", async () => {
    await using own = await setUp();

    const { text } = await own.list();

    for (const { rate, as_of } of own.service.query("SELECT rate, as_of FROM rates")) {
      assert.ok(!text.includes(String(rate)), String(rate));
      assert.ok(!text.includes(String(as_of).slice(0, 19)), String(as_of));
    }
    assert.doesNotMatch(text, /as_of|"rate"|81234|1\.1476/);
    assert.equal(await own.service.usedUnits(own.session), 0);
  });

  test("counts the pairs of a source, also after a change", async () => {
    await using own = await setUp();
    const counts = async () =>
      membersOf(await own.list(), "sources").map(({ key, pairs }) => [key, pairs]);
    assert.deepEqual(await counts(), [
      ["ecb", 1],
      ["nbp", 1],
    ]);

    await storeRates(own.store, [
      newRate("EUR/CHF", "0.9311", "2026-11-19T15:00:00Z", "ecb"),
      newRate("EUR/ISK", "144.20", "2026-11-20T15:00:00Z", "ecb"),
    ]);

    assert.deepEqual(await counts(), [
      ["ecb", 3],
      ["nbp", 1],
    ]);
  });

  test("without a valid session is 401, also with a key and with a known ETag", async () => {
    await using own = await setUp();
    const { etag = "" } = (await own.list()).headers;

    assertSessionRefused(await own.service.get(PATH));
    assertSessionRefused(await own.service.get(PATH, { apiKey: own.apiKey }));
    assertSessionRefused(await own.service.get(PATH, { headers: { "if-none-match": etag } }));
  });

  test("a known ETag gets 304 without a body, in each form that RFC 9110 allows", async () => {
    await using own = await setUp();
    const { etag = "" } = (await own.list()).headers;
    assert.match(etag, /^"[\w-]{43}"$/);

    for (const field of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await own.list(field);
      assert.deepEqual([answer.status, answer.text], [304, ""], field);
      assert.equal(answer.headers.etag, etag);
      assertCommonHeaders(answer);
    }
    for (const field of ['"other"', etag.slice(1, -1), "", ","]) {
      assert.equal((await own.list(field)).status, 200, field);
    }
  });

  test("HEAD has the headers of GET and no body", async () => {
    await using own = await setUp();
    const get = await own.list();

    const head = await own.service.call("HEAD", PATH, { session: own.session });

    assert.deepEqual([head.status, head.text], [200, ""]);
    for (const name of ["etag", "content-type", "content-length"]) {
      assert.equal(head.headers[name], get.headers[name], name);
    }
  });

  test("the ETag changes when a publication becomes due and when it becomes overdue", async () => {
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
  });

  test("a source that is fetched without a new rate changes the ETag and not the pairs", async () => {
    await using own = await setUp();
    const before = await own.list();
    const at = "2026-11-21T11:59:00.000Z";
    await own.store.sources.add("ecb", at);
    const success = { at, newestAsOf: undefined, nextAttemptAt: at };
    await own.store.sources.recordSuccess("ecb", success);

    const after = await own.list(before.headers.etag);

    assert.equal(after.status, 200);
    assert.equal(membersOf(after, "sources")[0]?.last_success_at, at);
    assert.deepEqual(membersOf(after, "pairs"), membersOf(before, "pairs"));
  });
});

test("the next list of a running server shows what a command changed: import, suspension, deletion", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  const rate = (pair: string) => `base,quote,rate,as_of\n${pair},1.5,2020-01-02T15:00:00Z\n`;
  await kurs(["rates", "import", "-"], { dataDirectory, input: rate("AAA,BBB") });
  await using server = await serve({ dataDirectory });
  const { session } = await server.newCustomer("ada@example.org");
  const etags = new Set<string>();
  const list = async () => {
    const answer = await server.get(PATH, { session });
    const etag = answer.headers.etag ?? "";
    assert.ok(!etags.has(etag), "the ETag is new");
    etags.add(etag);
    const headers = { "if-none-match": etag };
    assert.equal((await server.get(PATH, { session, headers })).status, 304);
    return membersOf(answer, "pairs").map(
      ({ base, quote, suspended }) => `${base}/${quote}${suspended === true ? " suspended" : ""}`,
    );
  };

  assert.deepEqual(await list(), ["AAA/BBB"]);
  await kurs(["rates", "import", "-"], { dataDirectory, input: rate("AAA,CCC") });
  assert.deepEqual(await list(), ["AAA/BBB", "AAA/CCC"]);
  await kurs(["rates", "suspend", "AAA", "BBB"], { dataDirectory });
  assert.deepEqual(await list(), ["AAA/BBB suspended", "AAA/CCC"]);
  await kurs(["rates", "delete", "AAA", "BBB"], { dataDirectory });
  assert.deepEqual(await list(), ["AAA/CCC"]);
});

suite("GET /v1/account/sources", () => {
  test("are the sources of the pairs, byte for byte, for no unit", async () => {
    await using own = await setUp();
    const { text: all } = await own.list();

    const answer = await own.service.get("/v1/account/sources", { session: own.session });

    assert.equal(answer.status, 200);
    assertCommonHeaders(answer);
    assert.equal(answer.text, `${all.slice(0, all.indexOf(',"pairs":['))}}`);
    assert.equal(await own.service.usedUnits(own.session), 0);
  });

  test("needs a session, and a key is none", async () => {
    await using own = await setUp();

    assertSessionRefused(await own.service.get("/v1/account/sources"));
    assertSessionRefused(await own.service.get("/v1/account/sources", { apiKey: own.apiKey }));
  });
});

suite("a list of 100,000 pairs", async () => {
  await using stack = new AsyncDisposableStack();
  const own = stack.use(await setUp());
  addPairs(own.service, MANY);
  const disposable = stack.move();
  after(() => disposable.disposeAsync());

  /** Requests the list and reads nothing of it. */
  const open = async () => {
    const { hostname, port } = new URL(own.service.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.pause();
    const head = `GET ${PATH} HTTP/1.1\r\nHost: kurs\r\n`;
    socket.write(`${head}Authorization: Session ${own.session}\r\n\r\n`);
    return socket;
  };

  test("is complete, well-formed JSON, each pair once and in order", async () => {
    const answer = await own.list();

    const names = membersOf(answer, "pairs").map(({ base, quote }) => `${base} ${quote}`);
    assert.equal(names.length, MANY + 3);
    assert.deepEqual(names, [...new Set(names)].sort());
    assert.equal(Number(answer.headers["content-length"]), Buffer.byteLength(answer.text));
    assert.equal((await own.list(answer.headers.etag)).status, 304);
  });

  test("has the same bytes for 64 clients at once", async () => {
    const headers = { authorization: `Session ${own.session}` };

    const bodies = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const response = await fetch(own.service.url + PATH, { headers });
        assert.equal(response.status, 200);
        const digest = createHash("sha256");
        for await (const part of response.body ?? []) digest.update(part);
        return digest.digest("hex");
      }),
    );

    assert.equal(new Set(bodies).size, 1);
  });

  test("is served while another client does not read and one disconnects half-way", async () => {
    const silent = await open();
    const leaving = await open();
    leaving.resume();
    await once(leaving, "data");
    leaving.destroy();

    const answer = await own.list();

    assert.equal(membersOf(answer, "pairs").length, MANY + 3);
    assert.equal((await own.service.readRate("EUR/USD", own.apiKey)).status, 200);
    assert.doesNotMatch(own.service.logLines.join(""), /"level":50/);
    silent.destroy();
  });

  test("is at most 64 bodies at once for one account; others are served, and it is later", async () => {
    const sockets = await Promise.all(Array.from({ length: 64 }, open));

    const rejected = await eventually("the last of them", async () => {
      const answer = await own.list();
      return answer.status === 200 ? undefined : answer;
    });
    const { session } = await own.service.newCustomer();
    const other = await own.service.get(PATH, { session });

    assert.deepEqual([rejected.status, rejected.body.code], [503, "temporarily_unavailable"]);
    assert.equal(rejected.headers["retry-after"], "1");
    assert.equal(other.status, 200);
    for (const socket of sockets) socket.destroy();
    await eventually("a body for the account", async () => {
      return (await own.list()).status === 200 || undefined;
    });
  });
});

test("a list that is built while the rates change has no ETag, and the next one has every change", async () => {
  await using database = await createSqliteDatabase();
  const store = database.openStore();
  const pairs = Array.from({ length: 600 }, (_, index) => `EUR/Q${String(index).padStart(4, "0")}`);
  await storeRates(
    store,
    pairs.map((pair) => newRate(pair, "1.5", "2026-11-20T15:00:00Z")),
  );
  const listings = listingsOf(store, new TestClock(SATURDAY));

  const early = listings.current();
  await new Promise((resolve) => setImmediate(resolve));
  await storeRates(store, [newRate("AAA/BBB", "1.5", "2026-11-20T15:00:00Z")]);
  const [mixed, next, joined] = await Promise.all([early, listings.current(), listings.current()]);

  assert.equal(mixed.digest, undefined);
  assert.equal(next.first[0]?.base, "AAA");
  assert.equal(joined.text, next.text, "one pass for both");
  assert.equal(next.digest === undefined, false);
});
