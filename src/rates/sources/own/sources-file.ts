import { repeatedKeyIn } from "../../../platform/shared/text/json-keys.ts";
import { quoted } from "../../../platform/shared/text/visible-text.ts";
import { builtIn } from "../fetching/registry.ts";
import { createPublisher } from "../publishers/catalogue.ts";
import { type Address, type Publisher, requestOf } from "../publishers/publisher.ts";
import { fillDates, InvalidEntry, readEntry, TOKEN_HEADER } from "./entry.ts";
import { createParse } from "./mapping.ts";

/**
 * Reads the text of SOURCES_FILE (docs/operating/own-publishers.md).
 *
 * @returns all publishers, the built-in ones moved where the file says so; the keys of those that
 *   it adds; which entry breaks which rule; and why the file as a whole has none.
 */
export function readSourcesFile(content: string) {
  const entries = entriesIn(content);
  const none = { publishers: builtIn, added: [], problems: [] };
  if (typeof entries === "string") return { ...none, fault: entries };
  const problems: string[] = [];
  const read = new Map<string, Publisher>();
  for (const [index, entry] of entries.entries()) {
    const { key } = Object(entry) as { readonly key?: unknown };
    const known = builtIn.find((one) => one.key === key);
    try {
      const publisher = known === undefined ? addedBy(entry) : movedBy(entry, known);
      if (read.has(publisher.key)) throw new InvalidEntry("another entry has its key");
      read.set(publisher.key, publisher);
    } catch (error) {
      if (!(error instanceof InvalidEntry)) throw error;
      problems.push(`entry ${index + 1} (${String(key).slice(0, 40)}): ${error.message}`);
    }
  }
  const added = [...read.values()].filter(({ key }) => !builtIn.some((one) => one.key === key));
  return {
    publishers: [...builtIn.map((one) => read.get(one.key) ?? one), ...added],
    added: added.map(({ key }) => key),
    problems,
    fault: undefined,
  };
}

/** @returns why there are none, without the text: it may have a password. */
function entriesIn(content: string): readonly unknown[] | string {
  try {
    const { sources, ...others } = Object(JSON.parse(content)) as { readonly sources?: unknown };
    const repeated = repeatedKeyIn(content);
    if (repeated !== undefined) return `has ${quoted(repeated)} twice in one object`;
    if (Array.isArray(sources) && Object.keys(others).length === 0) return sources;
    return 'is no object with "sources", a list, and nothing else';
  } catch (error) {
    const [place = ""] = / \(line \d+ column \d+\)$/.exec(String(error)) ?? [];
    return `is not JSON${place}`;
  }
}

/** The publisher of an entry that moves a built-in one. */
function movedBy(entry: unknown, publisher: Publisher): Publisher {
  const moved = readEntry(entry, publisher).addresses;
  return {
    ...publisher,
    formerAddresses: publisher.addresses,
    addresses: publisher.addresses.map((stated, index) => (today, token) => ({
      ...requestOf(stated, today, token),
      address: fillDates(moved[index] ?? "", today),
    })),
  };
}

/** The publisher that an entry adds. */
function addedBy(given: unknown): Publisher {
  const entry = readEntry(given);
  const { cron = "", timeZone = "", leadDays, everySeconds } = entry;
  const [, header = "", prefix] = TOKEN_HEADER.exec(entry.tokenHeader ?? "") ?? [];
  const toRequest =
    (address: string): Address =>
    (today, token) => ({
      address: fillDates(address, today),
      ...(header !== "" && { headers: { [header]: `${prefix}${token}` } }),
    });
  // ISO 3166-1 leaves ZZ to its users, and many take it for an unknown country.
  const { key, name, country = "ZZ", terms, termsUrl, charset, publishedAt, kind } = entry;
  return createPublisher(
    {
      ...{ key, name, country, terms, onByDefault: true, statesTroyOunces: true },
      addresses: entry.addresses.map(toRequest),
      formerAddresses: (entry.formerAddresses ?? []).map(toRequest),
      schedule: everySeconds ? { everySeconds } : { cron, timeZone, ...(leadDays && { leadDays }) },
      parse: createParse(entry),
      ...(kind && { servedKind: kind }),
      ...(termsUrl && { termsUrl }),
      ...(charset && { charset }),
      ...(publishedAt && { publishedAt }),
      ...(header && { tokenUrl: name }),
    },
    "Added by the operator",
  );
}
