import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqliteEngine } from "../../../src/platform/storage/sqlite/open.ts";
import { byAt } from "../../contract/suite/origins.ts";
import { newRate, updateRates } from "../../contract/suite/rates-stored.ts";
import { eventually } from "../../support/mails.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { startService, TestClock } from "../../support/service.ts";
import { openSqliteStore } from "../../support/stores.ts";

const BUSY_TIMEOUT_MS = 5000;

/** Rates of EUR/USD that were stored 90, 60 and 5 days before the clock's time. */
async function storeRates(dataDirectory: string): Promise<void> {
  await using store = openSqliteStore(dataDirectory, BUSY_TIMEOUT_MS);
  const days = ["2026-08-23", "2026-09-22", "2026-11-16"];
  for (const [index, day] of days.entries()) {
    const rate = newRate("EUR/USD", `1.1${index}`, `${day}T12:00:00Z`);
    await updateRates(store, [rate], () => "store", { origin: byAt(`${day}T12:00:00.000Z`) });
  }
}

async function sequencesIn(dataDirectory: string): Promise<readonly unknown[]> {
  await using engine = openSqliteEngine(dataDirectory, BUSY_TIMEOUT_MS);
  const rows = await engine.query("SELECT sequence FROM observations ORDER BY sequence");
  return rows.map(({ sequence }) => sequence);
}

test("a server with HISTORY_DAYS removes what was replaced before, and serves the same rate", async () => {
  await using directory = await temporaryDirectory();
  await storeRates(directory.path);
  const clock = new TestClock("2026-11-21T12:00:00.000Z");
  const config = { historyDays: 30 };
  await using service = await startService({ dataDirectory: directory.path, clock, config });

  await eventually("removal of the first observation", async () =>
    (await sequencesIn(directory.path)).length < 3 ? true : undefined,
  );

  assert.deepEqual(await sequencesIn(directory.path), [2, 3]);
  const { apiKey } = await service.createKey(await service.openSession("ada@example.org"));
  assert.equal((await service.get("/v1/rates/EUR/USD", { apiKey })).body.rate, "1.12");
});
