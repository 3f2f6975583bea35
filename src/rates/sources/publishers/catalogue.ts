import type { SourceLine } from "../../served/rules/rate.ts";
import { isoCodeOf } from "../../served/rules/symbol.ts";
import type { Dates } from "../rules/archive-ranges.ts";
import { dateIn, publicationTime } from "../rules/publication-time.ts";
import { africanPublishers } from "./africa/entries.ts";
import { americanPublishers } from "./americas/entries.ts";
import { asianPublishers } from "./asia/entries.ts";
import { eurasianPublishers } from "./eurasia/entries.ts";
import { europeanPublishers } from "./europe/entries.ts";
import { globalPublishers } from "./global/entries.ts";
import { periodicPublishers } from "./periodic/entries.ts";
import { handedInPublishers } from "./periodic/handed-in.ts";
import {
  type Address,
  documentsOf,
  type Entry,
  EURO,
  type Publisher,
  type PublisherResponse,
  toRequest,
} from "./publisher.ts";

const PERIODIC = "Tables for a period";

/** By the headings of docs/sources.md and of the console's list of sources. */
const groups: readonly (readonly [group: string, entries: readonly Entry[]])[] = [
  ["Western, Northern and Central Europe", europeanPublishers],
  ["Eastern Europe, the Caucasus and Central Asia", eurasianPublishers],
  ["Asia and the Pacific", asianPublishers],
  ["Africa", africanPublishers],
  ["The Americas", americanPublishers],
  ["Worldwide", globalPublishers],
  [PERIODIC, periodicPublishers],
];

/** The terms of most central banks. */
const TERMS = "The conditions of the bank apply; check them before passing the figures on.";

/** Between requests to the archive of a publisher that documents no limit. */
const PACE_MS = 500;

/** The code means a troy ounce, but some banks state a gram. */
const METALS: ReadonlySet<string> = new Set(["XAG", "XAU", "XPD", "XPT"]);

const all = groups.flatMap(([group, entries]) =>
  entries.map((entry) => createPublisher(entry, group)),
);

/** All publishers, in the default order of precedence: those that are on by default come first. */
export const publishers: readonly Publisher[] = [
  ...all.filter(({ onByDefault }) => onByDefault),
  ...all.filter(({ onByDefault }) => !onByDefault),
];

/** Publishers that no server fetches: an operator hands in their documents. */
export const handedIn: readonly Publisher[] = handedInPublishers.map((entry) =>
  createPublisher(entry, PERIODIC),
);

/** Completes an entry, and the lines that its parser reads. */
export function createPublisher(entry: Entry, group: string): Publisher {
  const { publishedAt: time, parse, archive, statesTroyOunces, addresses, ...others } = entry;
  const { charset, schedule } = others;
  const publishedAt =
    time === undefined || !("timeZone" in schedule)
      ? undefined
      : { time, timeZone: schedule.timeZone };
  const momentOf = (date = "") =>
    publishedAt && publicationTime(date, publishedAt.time, publishedAt.timeZone);
  const complete = (line: SourceLine, place: number): readonly SourceLine[] => {
    const asOf = "reason" in line ? line.stated?.asOf : line.asOf;
    const date = publishedAt && asOf && dateIn(asOf, publishedAt.timeZone);
    // An exchange, which has no time zone, names tokens: its ZIG is not the Zimbabwe Gold.
    if (!("timeZone" in schedule)) return [{ place, ...line }];
    if ("reason" in line) return [{ place, date, ...line }];
    const [base, quote] = [isoCodeOf(line.base), isoCodeOf(line.quote)];
    if (!statesTroyOunces && (METALS.has(base) || METALS.has(quote))) return [];
    return [{ place, date, ...line, base, quote }];
  };
  const read = (responses: readonly PublisherResponse[]) =>
    parse(
      charset === undefined ? responses : responses.map((one) => decode(one, charset)),
      momentOf,
    );
  return {
    terms: TERMS,
    onByDefault: false,
    ...others,
    group,
    addresses: "latestDays" in addresses ? latestIn(archive, addresses.latestDays) : addresses,
    publishedAt,
    parse: (responses) =>
      documentsOf(entry, responses).flatMap((documents, place) =>
        read(documents).flatMap((line) => complete(line, place)),
      ),
    ...(archive && { archive: completeArchive(archive) }),
  };
}

function completeArchive({ addresses, ...archive }: NonNullable<Entry["archive"]>) {
  return {
    paceMs: PACE_MS,
    ...archive,
    requests: (dates: Dates, token: string) => [addresses(dates, token)].flat().map(toRequest),
  };
}

/** The addresses of an archive for the last days. @throws if there is no archive. */
function latestIn(archive: Entry["archive"], days: number): readonly Address[] {
  if (archive === undefined) throw new TypeError("an entry with latestDays needs an archive");
  const requests = (today: Temporal.PlainDate, token: string) => {
    const dates = { from: today.subtract({ days }).toString(), to: today.toString() };
    return [archive.addresses(dates, token)].flat();
  };
  return requests(Temporal.PlainDate.from(EURO), "").map(
    (_, index) => (today, token) => requests(today, token)[index] ?? "",
  );
}

function decode(response: PublisherResponse, charset: string): PublisherResponse {
  return { ...response, body: Buffer.from(new TextDecoder(charset).decode(response.body)) };
}
