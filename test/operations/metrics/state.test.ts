import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../../../src/app/config.ts";
import { createPasswords } from "../../../src/customers/passwords/hashing/argon2.ts";
import { createHashPool } from "../../../src/customers/passwords/hashing/hash-pool.ts";
import { serverTimeouts } from "../../../src/platform/storage/settings.ts";
import { sourceAt } from "../../support/fake-publisher.ts";
import { playSmtp } from "../../support/fake-smtp-server.ts";
import { holdHashes } from "../../support/held-hashes.ts";
import { eventually } from "../../support/mails.ts";
import { ask, type Scrape, scrape } from "../../support/metrics.ts";
import {
  startService,
  TestClock,
  type TestOptions,
  type TestService,
  trustClock,
} from "../../support/service.ts";
import { holdWriteLock } from "../../support/store-faults.ts";

const EMAIL = "ada@example.org";
const PASSWORD = "correct horse battery";
const DAY_MS = 86_400_000;

/** The lifetime of the cached store state. */
const CACHE_MS = 5000;

/** More than the histogram's bucket of 0.1 s. */
const BLOCKED_SECONDS = 0.3;

const start = (options: TestOptions = {}) =>
  startService({ ...options, config: { metricsPort: 0, ...options.config } });

/** Scrapes after the cached state has expired. */
const scrapeAnew = (service: TestService): Promise<Scrape> => {
  service.clock.advanceMs(CACHE_MS);
  return scrape(service);
};

const STORE_METRICS = [
  "kurs_rate_age_seconds",
  "kurs_source_missed_publications",
  "kurs_source_failures",
  "kurs_source_pairs",
  "kurs_outbox_mails",
  "kurs_outbox_oldest_waiting_seconds",
];

const seriesOfStore = (result: Scrape) => STORE_METRICS.map((name) => result.series(name));

test("metrics: while the store fails, kurs_store_up is 0 and its metrics are absent", async () => {
  const clock = new TestClock("2026-11-21T12:00:00.000Z");
  await using service = await start({ clock, sources: [sourceAt("ecb", [], clock)] });
  const { apiKey } = await service.newCustomer();
  const before = await scrapeAnew(service);
  assert.equal(before.value("kurs_store_up"), 1);
  assert.ok(seriesOfStore(before).every((count) => count > 0));

  service.query("ALTER TABLE sources RENAME TO sources_gone");
  service.query("ALTER TABLE charged_units RENAME TO charged_units_gone");
  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 503);
  const down = await scrapeAnew(service);

  assert.equal(down.value("kurs_store_up"), 0);
  assert.deepEqual(
    seriesOfStore(down),
    STORE_METRICS.map(() => 0),
  );
  assert.equal(down.value("kurs_failed_batches_total"), 1);
  assert.equal(down.value("kurs_commit_duration_seconds_count"), 1);
  assert.equal(down.value("kurs_units_charged_total"), 0);
  assert.equal(down.value("kurs_refusals_total", { code: "temporarily_unavailable" }), 1);

  service.query("ALTER TABLE sources_gone RENAME TO sources");
  service.query("ALTER TABLE charged_units_gone RENAME TO charged_units");
  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
  const back = await scrapeAnew(service);
  assert.equal(back.value("kurs_store_up"), 1);
  assert.deepEqual(seriesOfStore(back), seriesOfStore(before));
  assert.equal(back.value("kurs_units_charged_total"), 1);
  assert.equal(back.value("kurs_failed_batches_total"), 1);
});

test("metrics: while the store cannot be written but read, kurs_store_up is 0, as /readyz is 503", async () => {
  await using service = await start({ storeTimeouts: { ...serverTimeouts, busyTimeoutMs: 10 } });
  const { session, apiKey } = await service.newCustomer();
  {
    using _lock = holdWriteLock(service);
    assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).status, 503);
    assert.equal(await service.usedUnits(session), 0);
    assert.equal((await service.get("/readyz")).status, 503);
    assert.equal((await scrapeAnew(service)).value("kurs_store_up"), 0);
  }
  assert.equal((await service.get("/readyz")).status, 200);
  assert.equal((await scrapeAnew(service)).value("kurs_store_up"), 1);
});

test("metrics: frequent scrapes query the store once in five seconds", async () => {
  await using service = await start();
  const together = await Promise.all(Array.from({ length: 8 }, () => scrape(service)));
  for (const result of together) assert.equal(result.value("kurs_store_up"), 1);
  service.query("ALTER TABLE mails RENAME TO mails_gone");

  service.clock.advanceMs(CACHE_MS - 1);
  assert.equal((await scrape(service)).value("kurs_store_up"), 1);
  service.clock.advanceMs(1);
  assert.equal((await scrape(service)).value("kurs_store_up"), 0);
  await Promise.all(Array.from({ length: 8 }, () => scrape(service)));

  const complaints = () =>
    service.logLines.filter((line) => line.includes("could not be asked for metrics"));
  assert.equal(complaints().length, 1);
  service.query("ALTER TABLE mails_gone RENAME TO mails");
  // Setting the clock back does not keep the cached state for longer.
  service.clock.advanceMs(-DAY_MS);
  assert.equal((await scrape(service)).value("kurs_store_up"), 1);
});

test("metrics: a source reports the age of its newest rate and its missed publications", async () => {
  const clock = new TestClock("2026-03-13T16:30:00.000Z");
  await using service = await start({ clock, sources: [sourceAt("ecb", [], clock)] });
  const source = { source: "ecb" };
  const fresh = await scrape(service);
  // The bundled rates are of this day, 16:00 in Frankfurt.
  assert.equal(fresh.value("kurs_rate_age_seconds", source), 5400);
  assert.equal(fresh.value("kurs_source_missed_publications", source), 0);
  assert.ok((fresh.value("kurs_source_pairs", source) ?? 0) > 20);
  assert.equal(fresh.series("kurs_rate_age_seconds"), 1);

  // A Friday's rates on the Wednesday after: those of Monday and Tuesday are missing.
  clock.set("2026-03-18T10:00:00.000Z");
  const stale = await scrape(service);
  assert.equal(stale.value("kurs_rate_age_seconds", source), (4 * 24 + 19) * 3600);
  assert.equal(stale.value("kurs_source_missed_publications", source), 2);
});

test("metrics: waiting and given-up mails count separately, with the oldest one's age", async () => {
  await using smtp = await playSmtp();
  smtp.behave({ reject: "RCPT", code: 450, message: "mailbox busy" });
  await using service = await start({ config: { smtpUrl: smtp.url } });
  const mails = (result: Scrape) =>
    ["waiting", "given_up"].map((state) => result.value("kurs_outbox_mails", { state }));
  const oldest = "kurs_outbox_oldest_waiting_seconds";
  const empty = await scrape(service);
  assert.deepEqual([...mails(empty), empty.value(oldest)], [0, 0, 0]);

  await service.openSession(EMAIL);
  await eventually("attempt", () => smtp.attempts() || undefined);
  const waiting = await scrapeAnew(service);
  assert.deepEqual([...mails(waiting), waiting.value(oldest)], [1, 0, CACHE_MS / 1000]);

  service.clock.advanceMs(DAY_MS);
  trustClock(service);
  await eventually(
    "end of all attempts",
    () => service.query("SELECT 1 FROM mails WHERE given_up_at IS NOT NULL").length || undefined,
  );
  const givenUp = await scrapeAnew(service);
  assert.deepEqual([...mails(givenUp), givenUp.value(oldest)], [0, 1, 0]);

  smtp.behave("accept");
  await service.post("/v1/auth/password-reset", { json: { email: EMAIL } });
  await eventually(
    "delivery",
    () => service.query("SELECT 1 FROM mails WHERE delivered_at IS NOT NULL").length || undefined,
  );
  assert.deepEqual(mails(await scrapeAnew(service)), [0, 1]);
});

test("metrics: queued and rejected password hashes are counted", async () => {
  const passwords = createPasswords(createHashPool({ threads: 1, maxQueued: 2 }));
  await using service = await start({ passwords });
  await service.openSession(EMAIL);
  using held = holdHashes();
  const queued = [1, 2, 3].map(() => passwords.hash(PASSWORD));
  const json = { email: EMAIL, password: PASSWORD };
  const rejected = await service.post("/v1/auth/login", { json });
  const result = await scrape(service);

  assert.equal(rejected.status, 503);
  assert.equal(result.value("kurs_hashing_waiting"), 2);
  assert.equal(result.value("kurs_hashing_refused_total"), 1);
  held.release();
  await Promise.all(queued);
  assert.equal((await scrape(service)).value("kurs_hashing_waiting"), 0);
});

test("metrics: the process reports its build, start time, memory and event-loop delay", async () => {
  await using service = await start();
  const result = await scrape(service);
  assert.equal(
    result.value("kurs_build_info", {
      version: "0.1.0",
      store: "sqlite",
      node: process.versions.node,
    }),
    1,
  );
  const startSeconds = result.value("process_start_time_seconds") ?? 0;
  assert.ok(startSeconds < service.clock.nowMs() / 1000 && startSeconds > 1.79e9);
  assert.ok((result.value("process_cpu_seconds_total") ?? 0) > 0);
  assert.ok((result.value("process_resident_memory_bytes") ?? 0) > 2 ** 20);

  // An event loop that is blocked, however long, shows in the histogram.
  const slow = (scraped: Scrape) =>
    (scraped.value("kurs_event_loop_delay_seconds_count") ?? 0) -
    (scraped.value("kurs_event_loop_delay_seconds_bucket", { le: "0.1" }) ?? 0);
  const before = slow(result);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_SECONDS * 1000);
  const held = await eventually("delay", async () => {
    const now = await scrape(service);
    return slow(now) > before ? now : undefined;
  });
  const name = "kurs_event_loop_active_seconds_total";
  assert.ok((held.value(name) ?? 0) - (result.value(name) ?? 0) >= BLOCKED_SECONDS);
});

test("metrics: the metrics port serves only GET /metrics", async () => {
  await using service = await start();
  const { metricsUrl } = service;
  for (const path of ["/", "/metrics/", "/Metrics", "/healthz", "/v1/rates/EUR/USD", "//metrics"]) {
    const { status, text } = await ask(metricsUrl, "GET", path);
    assert.deepEqual([status, text], [404, "There is only GET /metrics here.\n"], path);
  }
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"]) {
    const { status, headers } = await ask(metricsUrl, method, "/metrics");
    assert.deepEqual([status, headers.allow], [405, "GET"], method);
  }
  assert.equal((await ask(metricsUrl, "GET", "/metrics?name[]=up")).status, 200);
  assert.equal((await service.get("/metrics")).status, 404);
});

test("metrics: the metrics port listens on loopback unless METRICS_HOST is set", async () => {
  const served = async (config: Partial<Config>) => {
    await using service = await start({ config: { host: "0.0.0.0", ...config } });
    assert.ok(service.url.startsWith("http://0.0.0.0:"), service.url);
    return new URL(service.metricsUrl ?? "").hostname;
  };
  assert.equal(await served({}), "127.0.0.1");
  assert.equal(await served({ metricsHost: "0.0.0.0" }), "0.0.0.0");
});

test("metrics: without METRICS_PORT there is no server, and it stops with the service", async () => {
  await using without = await startService();
  assert.equal(without.metricsUrl, undefined);

  const service = await start();
  const { metricsUrl } = service;
  assert.equal((await scrape(service)).value("kurs_store_up"), 1);
  await service[Symbol.asyncDispose]();
  await assert.rejects(ask(metricsUrl, "GET", "/metrics"), /ECONNREFUSED/);
});
