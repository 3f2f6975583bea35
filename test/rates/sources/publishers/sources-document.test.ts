import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { describeSchedule } from "../../../../src/rates/sources/fetching/schedule.ts";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";

const text = readFileSync(join(import.meta.dirname, "../../../../docs/sources.md"), "utf8");

const [sources = "", archives = ""] = text.split("\n## Archives\n");

/** What the document calls them: they are the publisher's, and Kurs does not know more. */
const ownTerms = /^The (conditions|terms) of .+ apply; check them before passing the figures on\.$/;

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
    const { group, key, name, country, schedule, rarerPairs, terms, termsUrl } = publisher;
    const link = termsUrl === undefined ? "" : ` [Terms](${termsUrl})`;
    const rarer = rarerPairs && `; some pairs ${describeSchedule(rarerPairs.schedule)}`;
    const publishes = `${describeSchedule(schedule)}${rarer ?? ""}`;
    const stated = terms.replace(ownTerms, "Its own.");
    return [group, `\`${key}\``, name, country, publishes, `${stated}${link}`];
  });

  const withoutPairs = rows.map((cells) => cells.filter((_, column) => column !== 5));

  assert.deepEqual(withoutPairs, expected);
  for (const [, source = "", , , , pairs = ""] of rows) assert.notEqual(pairs.trim(), "", source);
});

test("docs/sources.md names the sources that are on by default, and lists the archives with their requests", () => {
  const on = publishers.flatMap(({ key, onByDefault }) => (onByDefault ? `\`${key}\`` : []));
  const named = `By default ${on.slice(0, -1).join(", ")} and ${on.at(-1)} are on.`;
  assert.ok(text.replaceAll("\n", " ").includes(named), named);

  const expected = publishers.flatMap(({ key, archive }) => {
    if (archive === undefined) return [];
    const { since, requestsBy } = archive;
    const has = requestsBy === "everything" ? requestsBy : `a ${requestsBy}`;
    return [[`\`${key}\``, since, has]];
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
