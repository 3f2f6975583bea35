import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { startSharedService } from "../../support/service.ts";

// What everybody may read about a service: its numbers, and its publishers with their pairs.

const service = await startSharedService();
const { session } = await service.newCustomer();

const PATHS = ["/about.json", "/coverage.json"] as const;
const FETCHED_AT = "2026-11-21T11:59:00.000Z";
const MINUTE_MS = 60_000;

/** A day of publishers in their time, before the service's own. */
const ON_TIME = "2026-11-20T15:00:00.000000000Z";
const LATE = "2026-11-02T11:00:00.000000000Z";

interface Publisher extends Readonly<Record<string, unknown>> {
  readonly pairs: readonly string[];
  readonly names: Readonly<Record<string, string>>;
}

const store = (pair: string, asOf: string, source: string) =>
  service.query(
    "INSERT INTO rates (base, quote, rate, as_of, source) VALUES (?, ?, '1.5173', ?, ?)",
    ...pair.split("/"),
    asOf,
    source,
  );

const countAgain = () =>
  service.query("UPDATE versions SET version = version + 1 WHERE name = 'rates'");

const attempted = (columns: string, ...values: readonly string[]) =>
  service.query(
    `INSERT INTO sources (source, next_attempt_at, ${columns})
     VALUES ('ecb', '2026-11-21T12:05:00.000Z', ${values.map(() => "?").join()})`,
    ...values,
  );

const read = async (path: (typeof PATHS)[number]) => (await service.get(path)).body;
const publishers = async () => (await read("/coverage.json")).publishers as readonly Publisher[];
const counts = async () => {
  const pairs = (await publishers()).flatMap((each) => each.pairs);
  return [(await read("/about.json")).pairs, pairs.length];
};

/** A current publisher, a late one and an import; what was kept of others is too old. */
beforeEach(() => {
  service.query("DELETE FROM rates");
  service.query("DELETE FROM sources");
  for (const pair of ["EUR/USD", "EUR/CHF"]) store(pair, ON_TIME, "ecb");
  store("USD/PLN", LATE, "nbp");
  store("XAU/USD", LATE, "import");
  countAgain();
  service.clock.advanceMs(MINUTE_MS);
});

for (const path of PATHS) {
  test(`${path} is what caches may keep, for GET and HEAD only, and charges nothing`, async () => {
    const { status, headers } = await service.get(path);
    assert.equal(status, 200);
    assert.equal(headers["cache-control"], "public, max-age=5");
    assert.equal(headers.vary, "Origin");
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["set-cookie"], undefined);
    assert.equal((await service.call("HEAD", path)).status, 200);
    const posted = await service.post(path);
    assert.deepEqual([posted.status, posted.headers.allow], [405, "GET, HEAD"]);
    assert.equal(await service.usedUnits(session), 0);
  });

  test(`${path}: a failure of the store is an envelope that nothing keeps`, async () => {
    service.query("ALTER TABLE sources RENAME TO hidden");
    const failed = await service.get(path);
    service.query("ALTER TABLE hidden RENAME TO sources");

    assert.ok(failed.status >= 500);
    assert.equal(failed.headers["cache-control"], "no-store");
    assert.deepEqual(Object.keys(failed.body), ["code", "message", "request_id"]);
    assert.equal((await service.get(path)).status, 200);
  });

  test(`${path} has no figure, no time of an observation, no import and no error's text`, async () => {
    service.query("UPDATE rates SET suspended_at = '2026-11-21' WHERE quote = 'CHF'");
    attempted("last_error_at, last_error, failures", FETCHED_AT, "proxy.lan: gone", "3");
    const { text } = await service.get(path);
    for (const forbidden of ["1.5173", "2026-11", "XAU", "import", "EUR/CHF", "proxy.lan"])
      assert.ok(!text.includes(forbidden), forbidden);
    assert.equal(text.includes("EUR/USD"), path === "/coverage.json");
  });
}

test("a publisher that missed nothing is up to date, and an import is no publisher", async () => {
  const { version, ...numbers } = await read("/about.json");
  assert.match(String(version), /^\d+\.\d+\.\d+$/);
  assert.deepEqual(numbers, {
    pairs: 4,
    publishers: 2,
    publishers_up_to_date: 1,
    publishers_failing: 0,
    last_success_at: null,
    free_units: 1000,
  });
  const all = await publishers();
  assert.deepEqual(
    all.map(({ name, up_to_date, pairs, names }) => [name, up_to_date, pairs, names]),
    [
      [
        "European Central Bank",
        true,
        ["EUR/CHF", "EUR/USD"],
        { EUR: "Euro", CHF: "Swiss Franc", USD: "US Dollar" },
      ],
      ["Narodowy Bank Polski", false, ["USD/PLN"], { USD: "US Dollar", PLN: "Polish Zloty" }],
    ],
  );
  const members = "name country group terms terms_url schedule up_to_date fetched pairs names";
  assert.deepEqual(Object.keys(all[0] ?? {}), members.split(" "));
  assert.equal(all[0]?.group, "Western, Northern and Central Europe");
  // The euro, the dollar, the franc and the zloty: gold is imported.
  assert.equal((await read("/coverage.json")).currencies, 4);

  service.query("UPDATE rates SET as_of = ?", LATE);
  countAgain();
  service.clock.advanceMs(MINUTE_MS);
  assert.equal((await read("/about.json")).publishers_up_to_date, 0);
});

test("a symbol has the name that it has at the pair's publisher, also in the list of pairs", async () => {
  store("MNT/KZT", "2026-11-20T19:00:00.000000000Z", "nbk");
  store("MNT/USD", "2026-11-21T11:59:00.000000000Z", "kraken");
  const { text } = await service.get("/v1/account/pairs?base=MNT", { session });
  const names = (await publishers()).slice(2).map((each) => [each.name, each.names.MNT]);
  assert.deepEqual(names, [
    ["National Bank of Kazakhstan", "Mongolian Tugrik"],
    ["Kraken", "Mantle"],
  ]);
  const listed = JSON.parse(text).pairs.map((pair: { base_name: string }) => pair.base_name);
  assert.deepEqual(listed, ["Mongolian Tugrik", "Mantle"]);
});

test("a publisher has 1,000 pairs at most, whatever the store holds", async () => {
  service.query(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
     INSERT INTO rates (base, quote, rate, as_of, source) SELECT 'EUR', 'Q' || i, '1', ?, 'ecb' FROM n`,
    ON_TIME,
  );
  assert.equal((await publishers())[0]?.pairs.length, 1000);
});

test("the store is read every five seconds at most, and once a minute after the first fetch", async () => {
  const atOnce = await Promise.all([counts(), counts(), counts()]);
  assert.deepEqual(atOnce, Array(3).fill([4, 3]));
  attempted("last_error_at, last_error, failures", FETCHED_AT, "gone", "3");
  store("EUR/JPY", ON_TIME, "ecb");
  countAgain();
  service.clock.advanceMs(4999);
  assert.deepEqual(await counts(), [4, 3]);
  service.clock.advanceMs(1);
  assert.deepEqual(await counts(), [5, 4]);
  const { publishers_failing, last_success_at } = await read("/about.json");
  assert.deepEqual([publishers_failing, last_success_at], [1, null]);

  service.query("UPDATE sources SET failures = 0, last_success_at = ?", FETCHED_AT);
  service.clock.advanceMs(5000);
  assert.deepEqual(await counts(), [5, 4]);
  store("EUR/SEK", ON_TIME, "ecb");
  countAgain();
  service.clock.advanceMs(MINUTE_MS - 1);
  assert.deepEqual(await counts(), [5, 4]);
  service.clock.advanceMs(1);
  assert.deepEqual(await counts(), [6, 5]);
  const fetched = await read("/about.json");
  assert.deepEqual([fetched.publishers_failing, fetched.last_success_at], [0, FETCHED_AT]);
});
