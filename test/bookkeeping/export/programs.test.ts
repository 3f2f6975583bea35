import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { ecbHistory, madeUpFigures, ofEuro, targetDays } from "../../../harness/archives.ts";
import { sourceOfNumber } from "../../../src/platform/shared/decimal.ts";
import { newSeriesCli } from "../../rates/series/cli.ts";

/** A record as a program documents it; the origin is a repository, a path and a commit. */
interface Documented {
  readonly origin: readonly string[];
  readonly members: Readonly<Record<string, { readonly type: string; readonly required: boolean }>>;
}

const fixture = readFileSync(join(import.meta.dirname, "fixtures/programs.json"), "utf8");
const programs = JSON.parse(fixture) as Readonly<Record<string, Documented>>;

/** What a member of each type may be, by its text in the JSON. */
const forms: Readonly<Record<string, RegExp>> = {
  date: /^"[0-9]{4}-[0-9]{2}-[0-9]{2}"$/,
  text: /^"[A-Za-z0-9_]+"$/,
  number: /^[0-9]+(?:\.[0-9]+)?$/,
  "number in a text": /^"[0-9]+(?:\.[0-9]+)?"$/,
  "symbol of 3 characters": /^"[A-Z0-9]{3}"$/,
  CURRENCY: /^"CURRENCY"$/,
};

/** The problems of a record: members that a program does not know, that are missing or invalid. */
function problemsOf(record: Readonly<Record<string, string>>, { members }: Documented): string[] {
  const unknown = Object.keys(record).filter((name) => !(name in members));
  const invalid = Object.entries(members).filter(([name, { type, required }]) => {
    const text = record[name];
    return text === undefined ? required : !forms[type]?.test(text);
  });
  return [...unknown, ...invalid.map(([name]) => name)];
}

/** The members of an object with the text that each has in the JSON. */
function textsOf(json: string): Record<string, string> {
  const isNumber = JSON.parse(json);
  const texts = JSON.parse(json, sourceOfNumber);
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      return [name, typeof isNumber[name] === "number" ? String(text) : JSON.stringify(text)];
    }),
  );
}

/** The records of an export: an object for each figure. */
const recordsOf: Readonly<Record<string, (text: string) => Record<string, string>[]>> = {
  firefly: (text) => text.trimEnd().split("\n").map(textsOf),
  erpnext: (text) => text.trimEnd().split("\n").map(textsOf),
  odoo: (text) =>
    text
      .trimEnd()
      .split("\n")
      .flatMap((line) => {
        const { fields, data, ...others } = JSON.parse(line);
        assert.deepEqual(others, {});
        return data.map((row: readonly string[]) =>
          Object.fromEntries(row.map((cell, index) => [fields[index], JSON.stringify(cell)])),
        );
      }),
  "gnucash-csv": (text) => {
    const [header = "", ...lines] = text.trimEnd().split("\n");
    const names = header.split(",");
    return lines.map((line) =>
      Object.fromEntries(line.split(",").map((cell, index) => [names[index], `"${cell}"`])),
    );
  },
};

const FIGURES = madeUpFigures(targetDays("2020-01-02", "2024-12-31"), ofEuro);
const cli = await newSeriesCli();
after(() => cli[Symbol.asyncDispose]());
await cli.archive("ecb", ecbHistory(FIGURES));

suite("records of an export are those that the program documents", { concurrency: 2 }, () => {
  for (const [format, documented] of Object.entries(programs)) {
    test(format, async () => {
      const options = format === "odoo" ? " --company-currency EUR" : "";

      const text = await cli.output(`rates export --format ${format} --source ecb${options}`);

      const records = recordsOf[format]?.(text) ?? [];
      assert.equal(records.length, FIGURES.length);
      assert.deepEqual(
        records.flatMap((record) => problemsOf(record, documented)),
        [],
      );
      const digits = records.map((record) => {
        const texts = Object.values(record).map((member) => member.replaceAll('"', ""));
        return texts.find((text) => /^[0-9]+\.?[0-9]*$/.test(text));
      });
      assert.deepEqual(digits.sort(), FIGURES.map(({ rate }) => rate).sort());
    });
  }
});

test("a body for Odoo has at most 1000 rates, of one pair, and each external id once", async () => {
  const text = await cli.output(
    "rates export --format odoo --source ecb --company-currency EUR --pair EUR/USD --pair EUR/JPY",
  );

  const rows = text
    .trimEnd()
    .split("\n")
    .map((line): string[][] => JSON.parse(line).data);
  const days = FIGURES.length / new Set(FIGURES.map(({ quote }) => quote)).size;
  assert.deepEqual(
    rows.map((some) => `${some[0]?.[2]} ${some.length}`),
    ["JPY 1000", `JPY ${days - 1000}`, "USD 1000", `USD ${days - 1000}`],
  );
  const ids = rows.flat().map(([id]) => id);
  assert.equal(new Set(ids).size, 2 * days);
});
