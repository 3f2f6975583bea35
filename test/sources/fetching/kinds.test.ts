import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { packContent } from "../../../src/provenance/documents/content.ts";
import { createUpdatePolicy } from "../../../src/rates/rules/update-policy.ts";
import type { Decimal } from "../../../src/shared/decimal.ts";
import { createRefreshSource } from "../../../src/sources/refresh.ts";
import { openSqliteStore } from "../../../src/store.ts";
import { BY } from "../../contract/suite/database.ts";
import { body, playPublisher, sourceAt } from "../../support/fake-publisher.ts";
import { headersOf } from "../../support/rates.ts";
import { startService, TestClock } from "../../support/service.ts";
import { bodiesOf } from "../publishers/recorded.ts";

/** Fetches a publisher's recorded response. @returns what is served of a pair, and its figures. */
async function fetched(key: string, pair: string, sql: string) {
  const [recorded = Buffer.of()] = bodiesOf(key);
  await using publisher = await playPublisher(body(recorded.toString()));
  const clock = new TestClock("2026-10-01T12:00:00.000Z");
  await using service = await startService({ clock });
  await using store = openSqliteStore(service.dataDirectory, 1000);
  const policy = createUpdatePolicy({ rateSources: [key], maxRateJump: "0.5" as Decimal });
  const uses = { store, clock, policy, headersOf, packContent, random: () => 0.5 };
  const refreshSource = createRefreshSource({ ...uses, origin: () => BY });
  const { signal } = new AbortController();
  const source = sourceAt(key, [publisher.address], clock);
  const report = await refreshSource(source, { signal, onlyWhenDue: false });
  assert.equal(report?.error, undefined);
  const { apiKey } = await service.newCustomer();
  const served = await service.get(`/v1/rates/${pair}`, { apiKey });
  using database = new DatabaseSync(join(service.dataDirectory, "kurs.db"), { readOnly: true });
  const figures = database.prepare(sql).all(key, ...pair.split("/"));
  return { served, figures: figures.map((row) => Object.values(row).join(" ")) };
}

test("a source's other kind goes to its series, and is never served", async () => {
  const sql = "SELECT kind, date, rate FROM figures WHERE source = ? AND base = ? AND quote = ?";
  const { served, figures } = await fetched("tcmb", "USD/TRY", `${sql} ORDER BY kind`);
  assert.equal(served.body.rate, "2.8852");
  assert.match(String(served.headers["rate-source"]), /^tcmb\b/);
  assert.deepEqual(figures, ["buying 2016-03-15 2.8852", "selling 2016-03-15 2.8904"]);
});

test("a table for a month has its first and last date in the series", async () => {
  const columns = "date, valid_until, rate, as_of";
  const sql = `SELECT ${columns} FROM figures WHERE source = ? AND base = ? AND quote = ?`;
  const { served, figures } = await fetched("hmrc", "GBP/USD", sql);
  assert.equal(served.body.rate, "1.3367");
  const asOf = "2026-07-31T23:00:00.000000000Z";
  assert.deepEqual(figures, [`2026-08-01 2026-08-31 1.3367 ${asOf}`]);
});
