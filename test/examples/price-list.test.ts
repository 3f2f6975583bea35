import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../support/process.ts";
import { startService, startSharedService, TestClock } from "../support/service.ts";
import { exampleFile, runExample } from "./example.ts";

const clock = new TestClock("2026-03-16T12:00:00.000Z");
const service = await startSharedService({ clock, config: { freePlanUnits: 6 } });

const run = (apiKey: string, args: readonly string[]) =>
  runExample("price-list.ts", args, { KURS_URL: service.url, KURS_API_KEY: apiKey });

test("the example of a price list reads each pair once, and a rerun replaces the list", async () => {
  await using directory = await temporaryDirectory();
  const list = join(directory.path, "list.csv");
  await writeFile(list, "yesterday's\n");
  const { session, apiKey } = await service.newCustomer();

  const first = await run(apiKey, [exampleFile("price-list.json"), list]);
  const lines = (await readFile(list, "utf8")).split("\n");

  assert.deepEqual([first.exitCode, first.stdout, first.stderr], [0, "", ""]);
  assert.equal(await service.usedUnits(session), 3);
  assert.equal(lines[0], "sku,currency,price,rate,as_of,source");
  assert.equal(lines.length, 1 + 3 * 3 + 1);
  assert.ok(lines.includes("LAMP-1,USD,45.79,1.1476,2026-03-13T15:00:00.000000000Z,ecb"));
  assert.ok(lines.includes('"SHADE, small",USD,8.32,1.1476,2026-03-13T15:00:00.000000000Z,ecb'));

  service.query("UPDATE rates SET rate = '1.2' WHERE base = 'EUR' AND quote = 'USD'");
  const second = await run(apiKey, [exampleFile("price-list.json"), list]);

  assert.equal(second.exitCode, 0);
  assert.match(await readFile(list, "utf8"), /^LAMP-1,USD,47\.88,1\.2,/m);
  assert.equal(await service.usedUnits(session), 6);
  assert.deepEqual(await readdir(directory.path), ["list.csv"]);
});

test("a price list with an old rate is written with a warning for each", async () => {
  await using directory = await temporaryDirectory();
  await using old = await startService({ config: { freePlanUnits: 3 } });
  const list = join(directory.path, "list.csv");
  const { apiKey } = await old.newCustomer();
  const env = { KURS_URL: old.url, KURS_API_KEY: apiKey };

  const args = [exampleFile("price-list.json"), list];
  const { exitCode, stderr } = await runExample("price-list.ts", args, env);

  assert.equal(exitCode, 0);
  const lines = stderr.trimEnd().split("\n");
  assert.equal(lines.length, 3);
  for (const line of lines) {
    assert.match(
      line,
      /^price-list: warning: EUR\/\w+ is of .* has missed \d\d .*publications since/,
    );
  }
  assert.match(await readFile(list, "utf8"), /^LAMP-1,USD,45\.79,1\.1476,2026-03-13T15.*,ecb$/m);
});

test("a failure leaves yesterday's price list as it is, and ends in a sentence that says why", async () => {
  await using directory = await temporaryDirectory();
  const list = join(directory.path, "list.csv");
  await writeFile(list, "yesterday's\n");
  const file = join(directory.path, "prices.json");
  const precision = { scale: 2, rounding: "up" };
  const products = [{ sku: "A", price: "1.00" }];
  const failed = async (apiKey: string, catalogue: object) => {
    await writeFile(file, JSON.stringify(catalogue));
    const { exitCode, stdout, stderr } = await run(apiKey, [file, list]);
    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.match(stderr, /^price-list: .+\nprice-list: \S+list\.csv is unchanged\.\n$/);
    assert.equal(await readFile(list, "utf8"), "yesterday's\n");
    assert.deepEqual((await readdir(directory.path)).sort(), ["list.csv", "prices.json"]);
    return stderr;
  };
  const { session, apiKey } = await service.newCustomer();
  const currencies = { USD: precision, NONE: precision, CZK: precision };

  const missing = await failed(apiKey, { base: "EUR", currencies, products });
  // The first two pairs were read, and the third one no more.
  assert.match(missing, /EUR\/NONE/);
  assert.equal(await service.usedUnits(session), 2);

  const wrong = { base: "EUR", currencies: { USD: precision }, products: [{ sku: "A", price: 1 }] };
  assert.match(await failed(apiKey, wrong), /must be a text such as "1250\.50" \(got 1\)/);
  const rounding = { USD: { scale: 2, rounding: "nearest" } };
  assert.match(await failed(apiKey, { base: "EUR", currencies: rounding, products }), /half-even/);
  assert.equal(await service.usedUnits(session), 2);

  for (let reads = 2; reads < 6; reads += 1) await service.readRate("EUR/USD", apiKey);
  const usedUp = await failed(apiKey, { base: "EUR", currencies: { USD: precision }, products });
  assert.match(usedUp, /EUR\/USD: .*quota/i);
  await failed(`svc_live_${"0".repeat(64)}`, { base: "EUR", currencies, products });
  assert.equal(await service.usedUnits(session), 6);

  const elsewhere = await service.newCustomer();
  const nowhere = join(directory.path, "none/list.csv");
  const noFolder = await run(elsewhere.apiKey, [exampleFile("price-list.json"), nowhere]);
  assert.equal(noFolder.exitCode, 1);
  assert.match(noFolder.stderr, /^price-list: ENOENT/);
  assert.ok((await elsewhere.usedUnits()) <= 3);
  const wrongUse = await run(apiKey, [exampleFile("price-list.json")]);
  assert.deepEqual([wrongUse.exitCode, wrongUse.stderr.startsWith("usage: ")], [2, true]);
});
