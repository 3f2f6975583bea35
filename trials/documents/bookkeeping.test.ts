import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ecbHistory, madeUpFigures, ofEuro, targetDays } from "../../harness/archives.ts";
import { type Decimal, multiply } from "../../src/platform/shared/decimal.ts";
import { newSeriesCli } from "../../test/rates/series/cli.ts";
import { temporaryDirectory } from "../../test/support/process.ts";
import { isInstalled } from "./installed.ts";

const FIGURES = madeUpFigures(targetDays("2026-03-02", "2026-03-13"), ofEuro);
const QUOTES = [...new Set(FIGURES.map(({ quote }) => quote))].slice(0, 8);

/** The day of the balance, which is not the last one that has figures. */
const DAY = "2026-03-11";

/** A whole number: the programs show a value with the decimal places of the rate. */
const EUROS = "7213" as Decimal;

/** What the euros are worth on the day in each currency, exactly. */
const EXPECTED = QUOTES.map((quote) => {
  const figure = FIGURES.find((one) => one.quote === quote && one.date === DAY);
  return withoutZeros(multiply(EUROS, figure?.rate as Decimal));
});

/** A number without the zeros after its last digit, which programs add for its display. */
function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

const journal = `include prices\n\n2026-03-02 opening\n  assets:bank  ${EUROS} EUR\n  equity:opening\n`;

/** Each program with its package, a ledger that includes the export, and how it values the euros. */
const programs = {
  hledger: {
    program: "hledger",
    ledger: journal,
    argsFor: (file: string, quote: string) => [
      ...["-f", file, "bal", "assets:bank", "--no-total", `--value=${DAY},${quote}`, "-O", "csv"],
    ],
  },
  beancount: {
    program: "bean-query",
    ledger:
      'include "prices"\n2026-01-01 open Assets:Bank\n2026-01-01 open Equity:Opening\n' +
      `2026-03-02 * "opening"\n  Assets:Bank  ${EUROS} EUR\n  Equity:Opening\n`,
    argsFor: (file: string, quote: string) => [
      ...["-q", "-f", "csv", file],
      `SELECT convert(sum(position), '${quote}', ${DAY}) WHERE account = 'Assets:Bank'`,
    ],
  },
  ledger: {
    program: "ledger",
    ledger: journal,
    argsFor: (file: string, quote: string) => [
      ...["-f", file, "bal", "assets:bank", "-X", quote, "--now", DAY],
      ...["-F", "%(quantity(unround(display_total)))\n"],
    ],
  },
} as const;

for (const [format, { program, ledger, argsFor }] of Object.entries(programs)) {
  test(`${format} values a balance by an export, exactly`, async (t) => {
    if (!isInstalled(t, program, format)) return;
    await using directory = await temporaryDirectory();
    await using cli = await newSeriesCli();
    await cli.archive("ecb", ecbHistory(FIGURES));
    // Only hledger and Ledger read the rate of a symbol with a digit, in quotes.
    const prices = await cli.output(`rates export --format ${format} --source ecb`);
    assert.equal(prices.split("\n").length - 1, FIGURES.length);
    await writeFile(join(directory.path, "prices"), prices);
    const file = join(directory.path, "journal");
    await writeFile(file, ledger);
    const last = async (...args: readonly string[]) => {
      const env = { ...process.env, LANG: "C.UTF-8" };
      const { stdout } = await promisify(execFile)(program, args, { env });
      return withoutZeros(/([0-9.]+)(?: [A-Z]+)?"?\s*$/.exec(stdout)?.[1] ?? stdout);
    };

    const valued = await Promise.all(QUOTES.map((quote) => last(...argsFor(file, quote))));

    assert.deepEqual(valued, EXPECTED);
    if (format === "beancount") return;
    await cli.import("1INCH,USD,0.2134,2026-03-13T15:00:00Z");
    const quoted = await cli.output(`rates export --format ${format} --source import`);
    await writeFile(file, `${quoted}\n2026-03-13 x\n  assets:bank  10 "1INCH"\n  b\n`);
    assert.equal(
      await last(...argsFor(file, "USD").map((arg) => arg.replace(DAY, "2026-03-14"))),
      "2.134",
    );
  });
}
