import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { ecbHistory, madeUpFigures, ofEuro, targetDays } from "../../harness/archives.ts";
import { type Decimal, multiply } from "../../src/shared/decimal.ts";
import { newSeriesCli } from "../../test/series/cli.ts";
import { temporaryDirectory } from "../../test/support/process.ts";
import { isInstalled, pathOf } from "./installed.ts";

const run = promisify(execFile);

const FIGURES = madeUpFigures(targetDays("2026-03-02", "2026-03-13"), ofEuro);
const QUOTES = [...new Set(FIGURES.map(({ quote }) => quote))];

/** The day of the balance, which is not the last one that has figures. */
const DAY = "2026-03-11";

/** A whole number: the programs show a value with the decimal places of the rate. */
const EUROS = "7213" as Decimal;

/** What the euros are worth on the day in each currency, exactly. */
const EXPECTED = QUOTES.map((quote) => {
  const figure = FIGURES.find((one) => one.quote === quote && one.date === DAY);
  return `${quote} ${withoutZeros(multiply(EUROS, figure?.rate as Decimal))}`;
});

/** A number without the zeros after its last digit, which programs add for its display. */
function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** The ECB's figures of two weeks, exported to a file that a ledger with a posting includes. */
async function ledgerWith(format: string, ledger: (pricesFile: string) => string) {
  await using starting = new AsyncDisposableStack();
  const directory = starting.use(await temporaryDirectory());
  await using cli = await newSeriesCli();
  await cli.archive("ecb", ecbHistory(FIGURES));
  const prices = await cli.output(`rates export --format ${format} --source ecb`);
  assert.equal(prices.split("\n").length - 1, FIGURES.length);
  const file = join(directory.path, `ledger.${format}`);
  await writeFile(join(directory.path, `prices.${format}`), prices);
  await writeFile(file, ledger(`prices.${format}`));
  const started = starting.move();
  return { file, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

const journal = (pricesFile: string) =>
  `include ${pricesFile}\n\n2026-03-02 opening\n  assets:bank  ${EUROS} EUR\n  equity:opening\n`;

suite("bookkeeping programs value a balance by an export, exactly", { concurrency: 2 }, () => {
  test("hledger", async (t) => {
    if (!(await isInstalled(t, "hledger", "hledger"))) return;
    await using ledger = await ledgerWith("hledger", journal);

    const valued = await Promise.all(
      QUOTES.map(async (quote) => {
        const value = `--value=${DAY},${quote}`;
        const args = ["-f", ledger.file, "bal", "assets:bank", "--no-total", value, "-O", "csv"];
        const { stdout } = await run(pathOf("hledger"), args, { env: { LANG: "C.UTF-8" } });
        const [, amount = "", symbol] = /"([0-9.]+) ([A-Z]+)"\n$/.exec(stdout) ?? [];
        return `${symbol} ${withoutZeros(amount)}`;
      }),
    );

    assert.deepEqual(valued, EXPECTED);
  });

  test("Beancount", async (t) => {
    if (!(await isInstalled(t, "bean-query", "beancount"))) return;
    await using ledger = await ledgerWith(
      "beancount",
      (pricesFile) =>
        `include "${pricesFile}"\n2026-01-01 open Assets:Bank\n2026-01-01 open Equity:Opening\n` +
        `2026-03-02 * "opening"\n  Assets:Bank  ${EUROS} EUR\n  Equity:Opening\n`,
    );

    const values = QUOTES.map((quote) => `convert(sum(position), '${quote}', ${DAY})`);
    const query = `SELECT ${values.join(", ")} WHERE account = 'Assets:Bank'`;
    const args = ["-q", "-f", "csv", ledger.file, query];
    const { stdout, stderr } = await run(pathOf("bean-query"), args);

    assert.equal(stderr, "");
    const cells = stdout.trim().split("\n").at(-1)?.split(",") ?? [];
    const valued = cells.map((cell) => {
      const [amount = "", symbol] = cell.trim().split(/ +/);
      return `${symbol} ${withoutZeros(amount)}`;
    });
    assert.deepEqual(valued, EXPECTED);
    await run(pathOf("bean-check"), [ledger.file]);
  });

  test("Ledger", async (t) => {
    if (!(await isInstalled(t, "ledger", "ledger"))) return;
    await using ledger = await ledgerWith("ledger", journal);

    const valued = await Promise.all(
      QUOTES.map(async (quote) => {
        const total = ["-X", quote, "--now", DAY, "-F", "%(quantity(unround(display_total)))\n"];
        const args = ["-f", ledger.file, "bal", "assets:bank", ...total];
        const { stdout } = await run(pathOf("ledger"), args);
        return `${quote} ${withoutZeros(stdout.trim())}`;
      }),
    );

    assert.deepEqual(valued, EXPECTED);
  });
});

test("hledger and Ledger read quoted symbols", async (t) => {
  if (!(await isInstalled(t, "hledger", "hledger"))) return;
  if (!(await isInstalled(t, "ledger", "ledger"))) return;
  await using directory = await temporaryDirectory();
  await using cli = await newSeriesCli();
  await cli.import("1INCH,USD,0.2134,2026-03-13T15:00:00Z");
  const file = join(directory.path, "prices");
  const posting = '2026-03-13 x\n  a  10 "1INCH"\n  b\n';
  await writeFile(file, `${await cli.output("rates export --format ledger")}\n${posting}`);

  const hledger = await run(pathOf("hledger"), ["-f", file, "bal", "a", "-X", "USD", "-N"]);
  const ledger = await run(pathOf("ledger"), [
    ...["-f", file, "bal", "a", "-X", "USD", "-F", "%(quantity(unround(display_total)))\n"],
  ]);

  assert.match(hledger.stdout, /^ +2\.1340 USD {2}a\n$/);
  assert.equal(withoutZeros(ledger.stdout.trim()), "2.134");
});
