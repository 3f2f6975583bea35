import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../support/process.ts";
import { startSharedService, TestClock } from "../support/service.ts";
import { exampleFile, runExample } from "./example.ts";

// Three publications after the bundled rates: as many as the example takes.
const clock = new TestClock("2026-03-18T18:00:00.000Z");
const service = await startSharedService({ clock, config: { freePlanUnits: 1 } });
const old = await startSharedService({ config: { freePlanUnits: 3 } });
const url = service.url;
const run = (apiKey: string, args: readonly string[]) =>
  runExample("invoice.ts", args, { KURS_URL: url, KURS_API_KEY: apiKey });

suite("the example of an invoice", { concurrency: 2 }, () => {
  test("prints exact amounts that add up, the rate, its time and source, for one unit", async () => {
    const { session, apiKey } = await service.newCustomer();

    const ended = await run(apiKey, [exampleFile("invoice.json"), "USD"]);

    assert.equal(ended.stderr, "");
    assert.equal(
      ended.stdout,
      `Invoice 2026-0017 in USD

Consulting, 3 days            2850.00 EUR          3270.66 USD
Travel                         214.35 EUR           245.99 USD
Discount                      -100.00 EUR          -114.76 USD
Total                                              3401.89 USD

Rate     1 EUR = 1.1476 USD
As of    2026-03-13T15:00:00.000000000Z
Source   ecb;name="European Central Bank"
Charged  1 unit
`,
    );
    assert.equal(ended.exitCode, 0);
    assert.equal(await service.usedUnits(session), 1);
  });

  test("rounds each currency to its own scale", async () => {
    const { apiKey } = await service.newCustomer();
    const { stdout } = await run(apiKey, [exampleFile("invoice.json"), "JPY"]);
    const [rate = ""] = /(?<=1 EUR = )\S+/.exec(stdout) ?? [];
    assert.match(rate, /^\d+\.\d+$/);
    // All in cents and the digits of the rate, without a float.
    const [whole = "", fraction = ""] = rate.split(".");
    const yen = (cents: bigint) =>
      (cents * BigInt(whole + fraction)) / (100n * 10n ** BigInt(fraction.length));
    const amounts = [285000n, 21435n, -10000n].map(yen);
    const total = amounts.reduce((sum, amount) => sum + amount);
    assert.deepEqual(
      stdout.match(/-?\d+(?= JPY$)/gm)?.slice(0, 4),
      [...amounts, total].map(String),
    );
  });

  test("says why there is no invoice, and what that cost", async () => {
    await using directory = await temporaryDirectory();
    const inDollars = join(directory.path, "dollars.json");
    const invoice = { number: "1", currency: "USD", lines: [{ text: "Work", amount: "10" }] };
    await writeFile(inDollars, JSON.stringify(invoice));
    const { session, apiKey } = await service.newCustomer();
    const inEuros = exampleFile("invoice.json");
    const fails = async (key: string, args: readonly string[], sentence: string) => {
      const { exitCode, stdout, stderr } = await run(key, args);
      assert.deepEqual([exitCode, stdout, stderr], [1, "", `invoice: ${sentence}\n`]);
    };

    const noRate = "there is no direct rate USD/CHF: choose another currency (charged: 1 unit).";
    await fails(apiKey, [inDollars, "CHF"], noRate);
    // That was the only unit of the quota.
    const after = "2026-04-01T00:00:00.000Z (charged: 0 units).";
    await fails(apiKey, [inEuros, "USD"], `the quota is used up: try again after ${after}`);
    const rejected = "the service rejected the key: set KURS_API_KEY to a valid one";
    const wrongKey = `svc_live_${"0".repeat(64)}`;
    await fails(wrongKey, [inEuros, "USD"], `${rejected} (charged: 0 units).`);
    assert.equal(await service.usedUnits(session), 1);
  });

  test("rejects an old rate for the unit that it cost, unless it is told to take one, or its time", async () => {
    const { apiKey, usedUnits } = await old.newCustomer();
    const env = { KURS_URL: old.url, KURS_API_KEY: apiKey };
    const invoice = [exampleFile("invoice.json"), "USD"];

    const { exitCode, stdout, stderr } = await runExample("invoice.ts", invoice, env);

    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.equal(
      stderr,
      "invoice: the rate is too old: EUR/USD is of 2026-03-13T15:00:00.000000000Z: its publisher has " +
        "missed 99 or more publications since, and at most 3 may be missed. Ask the service's " +
        "operator for newer ones (charged: 1 unit).\n",
    );
    const anyAge = await runExample("invoice.ts", [...invoice, "99"], env);
    assert.deepEqual([anyAge.exitCode, anyAge.stderr], [0, ""]);
    assert.match(anyAge.stdout, /^As of {4}2026-03-13T15/m);
    await using directory = await temporaryDirectory();
    const timed = join(directory.path, "timed.json");
    await writeFile(
      timed,
      '{"number":"1","currency":"EUR","lines":[],"at":"2026-03-14T00:00:00Z"}',
    );
    const past = await runExample("invoice.ts", [timed, "USD"], env);
    assert.deepEqual([past.stderr, past.stdout.includes("= 1.1476 USD")], ["", true]);
    assert.equal(await usedUnits(), 3);
  });

  test("rejects an amount that is a number, a file that is no invoice, and an unknown currency for nothing", async () => {
    await using directory = await temporaryDirectory();
    const { session, apiKey } = await service.newCustomer();
    const file = join(directory.path, "invoice.json");
    const rejected = async (content: string, currency: string) => {
      await writeFile(file, content);
      const { exitCode, stdout, stderr } = await run(apiKey, [file, currency]);
      assert.deepEqual([exitCode, stdout], [1, ""], content);
      return stderr;
    };
    const number = '{"number":"1","currency":"EUR","lines":[{"text":"Work","amount":10.10}]}';

    assert.match(
      await rejected(number, "USD"),
      /an amount is a text such as "2850.00" \(got 10.1\)/,
    );
    assert.match(await rejected("[]", "USD"), /no number, currency and lines/);
    assert.match(await rejected(number.replace("10.10", '"10.10"'), "XAG"), /add how to round XAG/);
    const { exitCode, stderr } = await run(apiKey, [file]);
    assert.deepEqual([exitCode, stderr.startsWith("usage: ")], [2, true]);
    assert.equal(await service.usedUnits(session), 0);
  });
});
