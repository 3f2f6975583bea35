import assert from "node:assert/strict";
import { test } from "node:test";
import { administer, startPostgres } from "../../../harness/postgres.ts";
import { headersOf, PATH, readOf } from "../../reads/mcp/messages.ts";
import { postTo } from "../../reads/mcp/with-key.ts";
import { eventually } from "../../support/mails.ts";
import { type Scrape, scrape } from "../../support/metrics.ts";
import { databaseOf } from "../../support/postgres-databases.ts";
import { openWire, plainRead, sendRaw, type Wire } from "../../support/raw-connection.ts";
import { openNodeWire } from "../../support/read-both-ways.ts";
import { startService, type TestOptions } from "../../support/service.ts";

const ROUTE = "/v1/rates/:base/:quote";

const start = (options: TestOptions = {}) =>
  startService({ ...options, config: { metricsPort: 0, ...options.config } });

const readOn = async (wire: Wire, apiKey: string, pair = "EUR/USD") => {
  wire.send(plainRead(apiKey, pair));
  return (await wire.answer()).status;
};

/** The error codes that occurred, with their counts. */
function refusalsIn({ types, labels, value }: Scrape): Readonly<Record<string, number>> {
  assert.equal(types.get("kurs_refusals_total"), "counter");
  const codes = [...labels].filter((label) => label.startsWith("code=")).map((l) => l.slice(5));
  assert.equal(codes.length, 18);
  const found = codes.map((code) => [code, value("kurs_refusals_total", { code }) ?? 0] as const);
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

const requests = (result: Scrape, method: string, route: string, status: number) =>
  result.value("kurs_http_requests_total", { method, route, status: String(status) });

test("metrics: each read counts as a request and a unit on the fast path, node:http and MCP", async () => {
  await using service = await start();
  const { session, apiKey } = await service.newCustomer();
  const none = await scrape(service);
  assert.equal(none.value("kurs_units_charged_total"), 0);
  assert.equal(requests(none, "GET", ROUTE, 200), undefined);

  {
    using fastWire = await openWire(service.url);
    using node = await openNodeWire(service.url);
    for (let count = 0; count < 7; count += 1) assert.equal(await readOn(fastWire, apiKey), 200);
    for (let count = 0; count < 5; count += 1) assert.equal(await readOn(node, apiKey), 200);
    assert.equal((await scrape(service)).value("kurs_connections_open"), 2);
  }
  const post = postTo(service, apiKey);
  for (const era of ["2025", "2026"] as const) assert.equal((await post(readOf(era))).status, 200);
  const json = [1, 2, 3].map((id) => readOf("2025", id).json);
  const headers = headersOf("2025");
  assert.equal((await service.post(PATH, { apiKey, headers, json })).status, 200);

  const result = await scrape(service);
  const units = 7 + 5 + 2 + 3;
  assert.equal(result.value("kurs_units_charged_total"), units);
  assert.equal(await service.usedUnits(session), units);
  assert.equal(requests(result, "GET", ROUTE, 200), 7 + 5);
  assert.equal(requests(result, "POST", PATH, 200), 3);
  const byPath = "kurs_http_requests_by_path_total";
  assert.equal(result.value(byPath, { path: "fast_path" }), 7 + 2);
  assert.equal(result.total(byPath), result.total("kurs_http_requests_total"));
  assert.equal(result.value("kurs_mcp_calls_total", { tool: "get_rate", outcome: "ok" }), 5);
  assert.equal(result.value("kurs_batch_reads_sum"), units);
  const seconds = "kurs_http_request_duration_seconds";
  assert.equal(result.value(`${seconds}_count`, { method: "GET", route: ROUTE }), 12);
  assert.equal(result.value(`${seconds}_count`, { method: "POST", route: PATH }), 3);
  assert.ok((result.value(`${seconds}_sum`, { method: "GET", route: ROUTE }) ?? 0) > 0);
  assert.deepEqual(refusalsIn(result), {});
  await eventually("end of all connections", async () => {
    return (await scrape(service)).value("kurs_connections_open") === 0 || undefined;
  });
});

test("metrics: concurrent reads share batches, and each batch has its commit time", async () => {
  await using service = await start();
  const { session, apiKey } = await service.newCustomer();
  const wires = await Promise.all(Array.from({ length: 40 }, () => openWire(service.url)));
  for (let round = 0; round < 5; round += 1) {
    const statuses = await Promise.all(wires.map((wire) => readOn(wire, apiKey)));
    assert.ok(statuses.every((status) => status === 200));
  }
  for (const wire of wires) wire[Symbol.dispose]();

  const result = await scrape(service);

  const batches = result.value("kurs_batch_reads_count") ?? 0;
  assert.equal(result.value("kurs_batch_reads_sum"), 200);
  assert.ok(batches > 0 && batches < 200, `${batches} batches`);
  assert.equal(result.value("kurs_commit_duration_seconds_count"), batches);
  assert.ok((result.value("kurs_commit_duration_seconds_sum") ?? 0) > 0);
  assert.equal(result.value("kurs_units_charged_total"), 200);
  assert.equal(await service.usedUnits(session), 200);
});

test("metrics: every rejection counts by its code on every path and is not a unit", async () => {
  await using service = await start({ config: { freePlanUnits: 2, authCallsPerWindow: 3 } });
  const { session, apiKey } = await service.newCustomer();
  using fastWire = await openWire(service.url);
  using node = await openNodeWire(service.url);
  for (const wire of [fastWire, node]) {
    assert.equal(await readOn(wire, `svc_live_${"0".repeat(64)}`), 401);
    assert.equal(await readOn(wire, apiKey, "E/USD"), 400);
    assert.equal(await readOn(wire, apiKey, "USD/NONE"), 404);
  }
  for (const wire of [fastWire, node]) assert.equal(await readOn(wire, apiKey), 429);
  const other = await service.openSession("capped@example.org");
  const capping = { name: "capped", units_per_day: 1 };
  const capped = await service.post("/v1/account/api-keys", { session: other, json: capping });
  for (const status of [200, 429]) {
    assert.equal(await readOn(fastWire, String(capped.body.api_key)), status);
  }
  const post = postTo(service, apiKey);
  for (const era of ["2025", "2026"] as const) assert.equal((await post(readOf(era))).status, 200);
  assert.equal((await postTo(service, "svc_live_x")(readOf("2025"))).status, 401);
  assert.equal((await service.call("LOCK", "/v1/rates/EUR/USD")).status, 405);
  assert.equal((await service.get("/nowhere")).status, 404);
  assert.equal((await service.get("/v1/account/usage")).status, 401);
  assert.equal((await service.post("/v1/auth/login", { raw: "{" })).status, 415);
  const json = { email: "account-1@example.org", password: "wrong password" };
  assert.equal((await service.post("/v1/auth/login", { json })).status, 401);
  assert.equal((await service.post("/v1/auth/login", { json })).status, 429);
  assert.equal((await sendRaw(service.url, "hello\r\n\r\n"))[0]?.status, 400);

  const result = await scrape(service);

  assert.deepEqual(refusalsIn(result), {
    invalid_request: 1,
    invalid_asset_symbol: 2,
    unauthorized: 2 + 1 + 1 + 1,
    unsupported_pair: 2,
    quota_exceeded: 2 + 1 + 2,
    method_not_allowed: 1,
    not_found: 1,
    unsupported_media_type: 1,
    too_many_requests: 1,
  });
  assert.equal(result.value("kurs_units_charged_total"), 3);
  assert.equal(await service.usedUnits(session), 2);
  const tool = { tool: "get_rate", outcome: "quota_exceeded" };
  assert.equal(result.value("kurs_mcp_calls_total", tool), 2);
  assert.equal(requests(result, "GET", ROUTE, 429), 3);
  assert.equal(requests(result, "(other)", ROUTE, 405), 1);
  assert.equal(requests(result, "(other)", "(malformed)", 400), 1);
});

test("metrics: the number of series is bounded, and labels contain no data of clients", async () => {
  await using service = await start();
  const session = await service.openSession("ada@example.org");
  const { apiKey, id } = await service.createKey(session, "ledger");
  await scrape(service);
  const before = await scrape(service);

  for (let index = 0; index < 30; index += 1) {
    await service.get(`/nowhere-${index}?key=${apiKey}`, { apiKey });
    await service.get(`/v1/rates/AA${index}/USD`, { apiKey });
    await service.call("DELETE", `/v1/account/api-keys/${index}`, { session });
  }
  for (const method of ["TRACE", "SEARCH", "PROPFIND", "LOCK", "MKCOL"]) {
    await service.call(method, "/v1/rates/EUR/USD");
    await service.call(method, "/nowhere");
  }

  const after = await scrape(service);
  const name = "kurs_http_requests_total";
  assert.equal(after.series(name) - before.series(name), 5);
  assert.equal(requests(after, "GET", "(none)", 404), 30);
  assert.equal(requests(after, "DELETE", "/v1/account/api-keys/:id", 404), 30);
  assert.equal(requests(after, "(other)", "(none)", 404), 5);
  const found = [...after.labels].join("\n");
  for (const secret of ["ada", "ledger", "nowhere", "AA1", id, apiKey.slice(9, 17), session]) {
    assert.ok(!found.includes(secret), secret);
  }
});

test("metrics: every method that a route has counts as itself", async () => {
  await using service = await start();
  const { paths } = (await service.get("/openapi.json")).body as {
    readonly paths: Readonly<Record<string, object>>;
  };
  const methods = new Set(Object.values(paths).flatMap((path) => Object.keys(path)));
  assert.ok(methods.has("patch"));
  for (const method of methods) await service.call(method.toUpperCase(), "/nowhere");

  const result = await scrape(service);
  for (const method of methods) {
    assert.equal(requests(result, method.toUpperCase(), "(none)", 404), 1, method);
  }
});

const RATE = "/v1/rates/EUR/USD";

test("metrics on PostgreSQL: the counts are the same, and an outage shows in time", async () => {
  await using postgres = await startPostgres();
  await administer(postgres.url(), "CREATE DATABASE kurs");
  const database = databaseOf(postgres.url("kurs"));
  await using service = await startService({ config: { metricsPort: 0, database } });
  const { session, apiKey } = await service.newCustomer();

  const answers = await Promise.all(
    Array.from({ length: 30 }, () => service.get(RATE, { apiKey })),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal((await postTo(service, apiKey)(readOf("2026"))).status, 200);
  assert.equal((await service.get("/v1/rates/E/USD", { apiKey })).status, 400);

  const result = await scrape(service);
  assert.equal(result.value("kurs_store_up"), 1);
  assert.equal(result.value("kurs_units_charged_total"), 31);
  assert.equal(await service.usedUnits(session), 31);
  assert.equal(result.value("kurs_batch_reads_sum"), 32);
  const batches = result.value("kurs_batch_reads_count") ?? 0;
  assert.ok(batches >= 3 && batches < 32, `${batches} batches`);
  assert.equal(result.value("kurs_commit_duration_seconds_count"), batches);
  assert.equal(result.value("kurs_outbox_mails", { state: "given_up" }), 0);
  assert.equal(result.total("kurs_build_info", { store: "postgresql" }), 1);

  await postgres.stop();
  assert.equal((await service.get(RATE, { apiKey })).status, 503);
  service.clock.advanceMs(5000);
  const down = await scrape(service);

  assert.equal(down.value("kurs_store_up"), 0);
  assert.equal(down.series("kurs_outbox_mails"), 0);
  assert.equal(down.value("kurs_units_charged_total"), 31);
  assert.equal(down.value("kurs_failed_batches_total"), 1);
});
