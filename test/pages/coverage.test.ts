import assert from "node:assert/strict";
import { test } from "node:test";
import { startService, TestClock } from "../support/service.ts";

const PATH = "/coverage.json";

const SATURDAY = "2026-11-21T12:00:00.000Z";

interface Publisher {
  readonly name: string;
  readonly up_to_date: boolean;
  readonly fetched: boolean;
  readonly pairs: readonly string[];
  readonly names: Readonly<Record<string, string>>;
}

/** A service with a current publisher, a late one and an import. */
async function startHere() {
  const service = await startService({ clock: new TestClock(SATURDAY) });
  service.query("DELETE FROM rates");
  const store = (pair: string, asOf: string, source: string) =>
    service.query(
      "INSERT INTO rates (base, quote, rate, as_of, source) VALUES (?, ?, '1.5173', ?, ?)",
      ...pair.split("/"),
      asOf,
      source,
    );
  store("EUR/USD", "2026-11-20T15:00:00.000000000Z", "ecb");
  store("EUR/CHF", "2026-11-20T15:00:00.000000000Z", "ecb");
  store("USD/PLN", "2026-11-02T11:00:00.000000000Z", "nbp");
  store("XAU/USD", "2026-11-02T11:00:00.000000000Z", "import");
  service.query("UPDATE versions SET version = version + 1 WHERE name = 'rates'");
  return Object.assign(service, { store });
}

test("/coverage.json tells everybody the publishers and their pairs, and costs nothing", async () => {
  await using service = await startHere();
  const { session } = await service.newCustomer();

  const { status, headers, body } = await service.get(PATH);

  assert.equal(status, 200);
  assert.equal(headers["cache-control"], "public, max-age=5");
  assert.equal(headers.vary, "Origin");
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  const publishers = body.publishers as readonly Publisher[];
  assert.deepEqual(
    publishers.map(({ name, up_to_date, pairs }) => [name, up_to_date, pairs]),
    [
      ["European Central Bank", true, ["EUR/CHF", "EUR/USD"]],
      ["Narodowy Bank Polski", false, ["USD/PLN"]],
    ],
  );
  assert.deepEqual(Object.keys(publishers[0] ?? {}), [
    ...["name", "country", "terms", "terms_url", "schedule", "up_to_date", "fetched", "pairs"],
    "names",
  ]);
  assert.deepEqual(
    publishers.map(({ names }) => names),
    [
      { EUR: "Euro", CHF: "Swiss Franc", USD: "US Dollar" },
      { USD: "US Dollar", PLN: "Polish Zloty" },
    ],
  );
  assert.equal(await service.usedUnits(session), 0);
});

test("a symbol has the name that it has at the pair's publisher, also in the list of pairs", async () => {
  await using service = await startHere();
  service.store("MNT/KZT", "2026-11-20T19:00:00.000000000Z", "nbk");
  service.store("MNT/USD", "2026-11-21T11:59:00.000000000Z", "kraken");
  const { session } = await service.newCustomer();

  const { body } = await service.get(PATH);
  const { text } = await service.get("/v1/account/pairs?base=MNT", { session });

  const publishers = body.publishers as readonly Publisher[];
  assert.deepEqual(
    publishers.slice(2).map(({ name, names }) => [name, names.MNT]),
    [
      ["National Bank of Kazakhstan", "Mongolian Tugrik"],
      ["Kraken", "Mantle"],
    ],
  );
  const names = JSON.parse(text).pairs.map((pair: { base_name: string }) => pair.base_name);
  assert.deepEqual(names, ["Mongolian Tugrik", "Mantle"]);
});

test("it has no figure, no time of an observation, no import and no suspended pair", async () => {
  await using service = await startHere();
  service.query("UPDATE rates SET suspended_at = '2026-11-21' WHERE quote = 'CHF'");

  const { text } = await service.get(PATH);

  for (const forbidden of ["1.5173", "2026-11", "XAU", "import", "EUR/CHF"])
    assert.ok(!text.includes(forbidden), forbidden);
  assert.ok(text.includes("EUR/USD"));
});

test("it has 1,000 pairs of a publisher at most, whatever the store holds", async () => {
  await using service = await startHere();
  service.query(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
    INSERT INTO rates (base, quote, rate, as_of, source)
    SELECT 'EUR', 'Q' || i, '1.5', '2026-11-20T15:00:00.000000000Z', 'ecb' FROM n`);

  const { body } = await service.get(PATH);

  const [ecb] = body.publishers as readonly Publisher[];
  assert.equal(ecb?.pairs.length, 1000);
});

test("the store is read every five seconds at most, and after a fetch once a minute", async () => {
  await using service = await startHere();
  const pairs = async () => {
    const { body } = await service.get(PATH);
    return (body.publishers as readonly Publisher[]).flatMap((each) => each.pairs).length;
  };
  assert.deepEqual(await Promise.all([pairs(), pairs(), pairs()]), [3, 3, 3]);
  service.store("EUR/JPY", "2026-11-20T15:00:00.000000000Z", "ecb");
  assert.equal(await pairs(), 3);
  service.query(`INSERT INTO sources (source, next_attempt_at, last_success_at, failures)
    VALUES ('ecb', '2026-11-21T12:05:00.000Z', '2026-11-21T12:00:00.000Z', 0)`);

  service.clock.advanceMs(5000);
  assert.equal(await pairs(), 4);
  service.store("EUR/SEK", "2026-11-20T15:00:00.000000000Z", "ecb");
  service.clock.advanceMs(59_999);
  assert.equal(await pairs(), 4);
  service.clock.advanceMs(1);
  assert.equal(await pairs(), 5);
});

test("a failure of the store is an envelope that nothing keeps", async () => {
  await using service = await startHere();
  service.query("ALTER TABLE sources RENAME TO hidden");

  const failed = await service.get(PATH);
  service.query("ALTER TABLE hidden RENAME TO sources");
  const next = await service.get(PATH);

  assert.ok(failed.status >= 500);
  assert.equal(failed.headers["cache-control"], "no-store");
  assert.deepEqual(Object.keys(failed.body), ["code", "message", "request_id"]);
  assert.equal(next.status, 200);
});
