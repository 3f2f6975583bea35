import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  createSchedule,
  describeSchedule,
} from "../../../../src/rates/sources/fetching/schedule.ts";
import { publishers } from "../../../../src/rates/sources/publishers/catalogue.ts";

import * as treasury from "../../../../src/rates/sources/publishers/periodic/parsers.ts";
import { requestsOf } from "../../../../src/rates/sources/publishers/publisher.ts";
import { bodiesOf } from "./recorded.ts";

const WEEK_MS = 7 * 24 * 60 * 60_000;
const SUMMER_TIME_MS = 60 * 60_000;

test("the publishers on by default come first, the ECB before all, and some serve one of several kinds", () => {
  const order = publishers.map(({ key }) => key);
  const onByDefault = publishers.filter((publisher) => publisher.onByDefault);
  assert.deepEqual(
    onByDefault.map(({ key }) => key),
    order.slice(0, onByDefault.length),
  );
  assert.equal(order[0], "ecb");
  assert.equal(new Set(order).size, order.length);

  const served = publishers.flatMap(({ key, servedKind }) =>
    servedKind === undefined ? [] : [`${key} ${servedKind}`],
  );
  assert.deepEqual(served, [
    "bazg selling",
    "tcmb buying",
    "nrb selling",
    "bcb selling",
    "bcrp selling",
    "bazg-monthly selling",
  ]);
});

// A caller who sees an old, coarse figure beside today's takes it for as good.
test("no publisher on by default publishes a pair less often than weekly", () => {
  const calendars = publishers
    .filter(({ onByDefault }) => onByDefault)
    .flatMap(({ key, schedule, rarerPairs }) =>
      [schedule, ...(rarerPairs ? [rarerPairs.schedule] : [])].map((each) => ({ key, each })),
    );
  for (const { key, each } of calendars) {
    const schedule = createSchedule(each);
    let runMs = schedule.nextFetch(Date.parse("2026-01-01T00:00:00Z"));
    for (let runs = 0; runs < 60; runs += 1) {
      const nextMs = schedule.nextFetch(runMs);
      assert.ok(nextMs - runMs <= WEEK_MS + SUMMER_TIME_MS, `${key}: ${schedule.describe()}`);
      runMs = nextMs;
    }
  }
});

for (const { key, ...publisher } of publishers) {
  test(`${key} names its publisher, addresses, schedule and terms`, () => {
    assert.match(key, /^[a-z]+(-[a-z]+)*$/);
    assert.match(publisher.country, /^[A-Z]{2}$/);
    assert.match(publisher.terms, /^[A-Z].*[a-z)]\.$/);
    assert.equal(publisher.addresses.length, bodiesOf(key).length);
    const { termsUrl = "https://localhost", tokenUrl = "https://localhost" } = publisher;
    const requests = requestsOf(publisher, Date.parse("2026-01-01T00:00:00Z"), "secret");
    for (const address of [...requests.map((request) => request.address), termsUrl, tokenUrl]) {
      assert.equal(new URL(address).protocol, "https:");
      // Addresses are stored with the documents, and logged.
      assert.ok(!address.includes("secret"), address);
    }
    if ("everySeconds" in publisher.schedule) return;
    assert.match(publisher.schedule.cron, /^\d+ \d+ (\*|\d+) (\*|[\d,]+) (\*|[0-6]-[0-6])$/);
    const isOnWeekdays = publisher.schedule.cron.match(/-[0-6]$/) !== null;
    assert.equal(
      (publisher.schedule.holidays?.days.length ?? 0) > 0,
      isOnWeekdays && key !== "nbu",
    );
    // A publisher whose response has times needs none for its dates.
    if (publisher.publishedAt === undefined) return;
    assert.equal(publisher.publishedAt.timeZone, publisher.schedule.timeZone);
    assert.match(publisher.publishedAt.time, /^\d\d:\d\d$/);
  });
}

test("the Treasury's currencies are ISO 4217 codes, of which only shared ones have several names", () => {
  // The convertible peso and the bolívar fuerte were withdrawn, but are reported.
  const known = new Set([...Intl.supportedValuesOf("currency"), "CUC", "VEF", "XCG", "ZWG"]);
  for (const [name, code] of treasury.treasuryCurrencies) {
    assert.match(name, /^[A-Z].*-[A-Z]/);
    assert.ok(known.has(code), `${name}: ${code}`);
  }
  assert.equal(treasury.treasuryCurrencies.get("Euro Zone-Euro"), "EUR");
  assert.equal(treasury.treasuryCurrencies.get("Canada-Dollar"), "CAD");
  assert.equal(treasury.treasuryCurrencies.get("Senegal-Cfa Franc"), "XOF");
  assert.equal(treasury.treasuryCurrencies.get("Gabon-Cfa Franc"), "XAF");

  // Burma is Myanmar in later tables, Swaziland Eswatini.
  const shared = new Set(["CDF", "MMK", "SDG", "SZL", "XAF", "XCD", "XOF"]);
  const codes = [...treasury.treasuryCurrencies.values()].filter((code) => !shared.has(code));
  assert.equal(new Set(codes).size, codes.length);
});

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
