import assert from "node:assert/strict";
import { test } from "node:test";
import { startService, TestClock, type TestService } from "../support/service.ts";

const SATURDAY = "2026-11-21T12:00:00.000Z";

const FETCHED_AT = "2026-11-21T11:59:00.000Z";

/** As after a fetch that succeeded. */
const fetchedFromEcb = (service: TestService) =>
  service.query(
    `INSERT INTO sources (source, next_attempt_at, last_success_at, failures)
     VALUES ('ecb', ?, ?, 0)
     ON CONFLICT (source) DO UPDATE SET last_success_at = excluded.last_success_at, failures = 0`,
    SATURDAY,
    FETCHED_AT,
  );

const startHere = () => startService({ clock: new TestClock(SATURDAY) });

test("/about.json tells everybody what a service has, in a response that caches may keep", async () => {
  await using service = await startHere();
  service.query("UPDATE sources SET last_success_at = '2026-11-21T11:59:00.000Z'");

  const { status, headers, body } = await service.get("/about.json");

  assert.equal(status, 200);
  assert.equal(headers["cache-control"], "public, max-age=5");
  assert.equal(headers.vary, "Origin");
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["set-cookie"], undefined);
  const [stored] = service.query("SELECT count(*) AS pairs FROM rates");
  assert.deepEqual(body, {
    version: body.version,
    pairs: stored?.pairs,
    publishers: 6,
    publishers_up_to_date: 0,
    publishers_failing: 0,
    last_success_at: body.last_success_at,
    free_units: 1000,
  });
  assert.match(String(body.version), /^\d+\.\d+\.\d+$/);
});

test("a publisher that has missed nothing counts as up to date, and an import as no publisher", async () => {
  await using service = await startHere();
  service.query("DELETE FROM rates");
  const insert = "INSERT INTO rates (base, quote, rate, as_of, source) VALUES (?, ?, '1.5', ?, ?)";
  service.query(insert, "EUR", "USD", "2026-11-20T15:00:00.000000000Z", "ecb");
  service.query(insert, "USD", "PLN", "2026-11-02T11:00:00.000000000Z", "nbp");
  service.query(insert, "XAU", "USD", "2026-11-02T11:00:00.000000000Z", "import");
  service.query("UPDATE versions SET version = version + 1 WHERE name = 'rates'");

  const { body } = await service.get("/about.json");

  assert.deepEqual([body.pairs, body.publishers, body.publishers_up_to_date], [3, 2, 1]);
});

test("no figure and no time of an observation is among them", async () => {
  await using service = await startHere();

  const { text } = await service.get("/about.json");

  for (const { rate, as_of } of service.query(
    "SELECT rate, as_of FROM rates WHERE quote = 'USD'",
  )) {
    assert.ok(!text.includes(String(rate)), String(rate));
    assert.ok(!text.includes(String(as_of).slice(0, 19)), String(as_of));
  }
  assert.ok(text.length < 300, text);
});

test("the figures are read at most once a minute, whatever the number of requests", async () => {
  await using service = await startHere();
  fetchedFromEcb(service);
  const read = async () => (await service.get("/about.json")).text;
  const first = await Promise.all([read(), read(), read()]);
  assert.equal(new Set(first).size, 1);
  service.storeRate("AAA", "BBB", "1.5");
  service.query("UPDATE versions SET version = version + 1 WHERE name = 'rates'");

  service.clock.advanceMs(59_999);
  const kept = await read();
  service.clock.advanceMs(1);
  const renewed = await read();

  assert.equal(kept, first[0]);
  assert.notEqual(renewed, kept);
});

test("until the first fetch has succeeded, the figures are read every five seconds", async () => {
  await using service = await startHere();
  const before = (await service.get("/about.json")).body;
  service.query(`INSERT INTO sources (source, next_attempt_at, last_error_at, last_error, failures)
    VALUES ('ecb', '2026-11-21T12:05:00.000Z', '2026-11-21T12:00:00.000Z', 'proxy.lan: gone', 3)`);

  service.clock.advanceMs(5000);
  const failing = await service.get("/about.json");
  fetchedFromEcb(service);
  service.clock.advanceMs(5000);
  const { body: fetched } = await service.get("/about.json");

  assert.deepEqual([before.publishers_failing, before.last_success_at], [0, null]);
  assert.deepEqual([failing.body.publishers_failing, failing.body.last_success_at], [1, null]);
  assert.doesNotMatch(failing.text, /proxy\.lan/);
  assert.deepEqual([fetched.publishers_failing, fetched.last_success_at], [0, FETCHED_AT]);
});

test("a failure of the store is an envelope that nothing keeps", async () => {
  await using service = await startHere();
  service.query("ALTER TABLE plans RENAME TO hidden");

  const failed = await service.get("/about.json");
  service.query("ALTER TABLE hidden RENAME TO plans");
  const next = await service.get("/about.json");

  assert.ok(failed.status >= 500);
  assert.equal(failed.headers["cache-control"], "no-store");
  assert.deepEqual(Object.keys(failed.body), ["code", "message", "request_id"]);
  assert.equal(next.status, 200);
});

test("/about.json is served for GET and HEAD only, and charges nothing", async () => {
  await using service = await startHere();
  const session = await service.openSession();

  assert.equal((await service.call("HEAD", "/about.json")).status, 200);
  const posted = await service.post("/about.json");

  assert.deepEqual([posted.status, posted.headers.allow], [405, "GET, HEAD"]);
  assert.equal(await service.usedUnits(session), 0);
});
