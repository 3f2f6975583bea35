import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { describeSchedule } from "../../../src/sources/fetching/schedule-text.ts";
import { publishers } from "../../../src/sources/publishers/catalogue.ts";

const text = readFileSync(join(import.meta.dirname, "../../../docs/sources.md"), "utf8");

const [sources = "", archives = ""] = text.split("\n## Archives\n");

const rowsOf = (part: string) =>
  part
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.slice(2, -2).split(" | "));

/** The rows of the tables, each after the heading that it is under. */
const rows = sources.split("\n## ").flatMap((section) => {
  const [heading = "", ...lines] = section.split("\n");
  return rowsOf(lines.join("\n")).map((cells) => [heading, ...cells]);
});

test("docs/sources.md lists the publishers of each group in their order, with the catalogue's data", () => {
  const byGroup = [...Map.groupBy(publishers, ({ group }) => group).values()].flat();
  const expected = byGroup.map((publisher) => {
    const { group, key, name, country, onByDefault, schedule, rarerPairs, terms, termsUrl } =
      publisher;
    const link = termsUrl === undefined ? "" : ` [Terms](${termsUrl})`;
    const rarer = rarerPairs && `; some pairs ${describeSchedule(rarerPairs.schedule)}`;
    const publishes = `${describeSchedule(schedule)}${rarer ?? ""}`;
    const isOn = onByDefault ? "yes" : "no";
    return [group, `\`${key}\``, name, country, isOn, publishes, `${terms}${link}`];
  });

  const withoutPairs = rows.map((cells) => cells.filter((_, column) => column !== 6));

  assert.deepEqual(withoutPairs, expected);
  for (const [, source = "", , , , , pairs = ""] of rows) assert.notEqual(pairs.trim(), "", source);
});

test("docs/sources.md lists the archives, since when, and what a request of each has", () => {
  const expected = publishers.flatMap(({ key, archive }) => {
    if (archive === undefined) return [];
    const { since, requestsBy, paceMs } = archive;
    const has = requestsBy === "everything" ? requestsBy : `a ${requestsBy}`;
    return [[`\`${key}\``, since, has, `every ${paceMs / 1000} s`]];
  });
  assert.deepEqual(rowsOf(archives), expected);
});

test("every schedule of the catalogue has words for a person", () => {
  const words = publishers.map(({ key, schedule }) => `${key}: ${describeSchedule(schedule)}`);

  for (const text of words) assert.doesNotMatch(text, /\*|undefined|NaN/);
  assert.ok(words.includes("ecb: 16:05 on working days, Europe/Berlin"));
  assert.ok(words.includes("kraken: every 30 seconds"));
  const quarterly = "12:00 on the 7th of January, April, July, and October, America/New_York";
  assert.ok(words.includes(`ust: ${quarterly}`));
});
