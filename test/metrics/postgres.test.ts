import assert from "node:assert/strict";
import { test } from "node:test";
import { administer, startPostgres } from "../../harness/postgres.ts";
import { postTo, readOf } from "../mcp/messages.ts";
import { scrape } from "../support/metrics.ts";
import { hostsOf } from "../support/postgres-databases.ts";
import { startService } from "../support/service.ts";

const RATE = "/v1/rates/EUR/USD";

test("metrics on PostgreSQL: the same counts, and its absence is told in time", async () => {
  await using postgres = await startPostgres();
  await administer(postgres.url(), "CREATE DATABASE kurs");
  const databaseHosts = hostsOf(postgres.url("kurs"));
  await using service = await startService({ config: { metricsPort: 0, databaseHosts } });
  const session = await service.openSession();
  const { apiKey } = await service.createKey(session);

  const answers = await Promise.all(
    Array.from({ length: 30 }, () => service.get(RATE, { apiKey })),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal((await postTo(service, apiKey)(readOf("2026"))).status, 200);
  assert.equal((await service.get("/v1/rates/E/USD", { apiKey })).status, 400);

  const said = await scrape(service);
  assert.equal(said.value("kurs_store_up"), 1);
  assert.equal(said.value("kurs_units_charged_total"), 31);
  assert.equal(await service.usedUnits(session), 31);
  assert.equal(said.value("kurs_batch_reads_sum"), 32);
  const batches = said.value("kurs_batch_reads_count") ?? 0;
  assert.ok(batches >= 3 && batches < 32, `${batches} batches`);
  assert.equal(said.value("kurs_commit_duration_seconds_count"), batches);
  assert.equal(said.value("kurs_outbox_mails", { state: "given_up" }), 0);
  assert.equal(said.total("kurs_build_info", { store: "postgresql" }), 1);

  await postgres.stop();
  assert.equal((await service.get(RATE, { apiKey })).status, 503);
  service.clock.advanceMs(5000);
  const away = await scrape(service);

  assert.equal(away.value("kurs_store_up"), 0);
  assert.equal(away.series("kurs_outbox_mails"), 0);
  assert.equal(away.value("kurs_units_charged_total"), 31);
  assert.equal(away.value("kurs_failed_batches_total"), 1);
});
