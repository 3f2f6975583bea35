import assert from "node:assert/strict";
import { test } from "node:test";
import { administer, startPostgres } from "../../../harness/postgres.ts";
import { readOf } from "../../reads/mcp/messages.ts";
import { postTo } from "../../reads/mcp/with-key.ts";
import { scrape } from "../../support/metrics.ts";
import { databaseOf } from "../../support/postgres-databases.ts";
import { startService } from "../../support/service.ts";

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
