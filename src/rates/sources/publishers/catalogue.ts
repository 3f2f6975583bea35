import type { SourceLine } from "../../served/rules/rate.ts";
import { dateIn, publicationTime } from "../rules/publication-time.ts";
import { africanPublishers } from "./africa/entries.ts";
import { americanPublishers } from "./americas/entries.ts";
import { asianPublishers } from "./asia/entries.ts";
import { eurasianPublishers } from "./eurasia/entries.ts";
import { europeanPublishers } from "./europe/entries.ts";
import { deduplicate, withoutEndedSeries, withoutRepetitions } from "./formats/source-lines.ts";
import { globalPublishers } from "./global/entries.ts";
import { periodicPublishers } from "./periodic/entries.ts";
import { handedInPublishers } from "./periodic/handed-in.ts";
import type { Entry, Parse, Publisher, PublisherResponse } from "./publisher.ts";

/** By the headings of docs/sources.md and of the console's list of sources. */
const groups: readonly (readonly [group: string, entries: readonly Entry[]])[] = [
  ["Western, Northern and Central Europe", europeanPublishers],
  ["Eastern Europe, the Caucasus and Central Asia", eurasianPublishers],
  ["Asia and the Pacific", asianPublishers],
  ["Africa", africanPublishers],
  ["The Americas", americanPublishers],
  ["Worldwide", globalPublishers],
  ["Tables for a month or a quarter", periodicPublishers],
];

/** The terms of most central banks. */
const TERMS = "The conditions of the bank apply; check them before passing the figures on.";

/** Between requests to the archive of a publisher that documents no limit. */
const PACE_MS = 500;

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
  createPublisher(entry, "Tables for a month or a quarter"),
);

function createPublisher(entry: Entry, group: string): Publisher {
  const { publishedAt: time, parse, archive, hasEndedSeries, ...others } = entry;
  const { charset, schedule } = others;
  const publishedAt =
    time === undefined || !("timeZone" in schedule)
      ? undefined
      : { time, timeZone: schedule.timeZone };
  const momentOf = (date = "") =>
    publishedAt && publicationTime(date, publishedAt.time, publishedAt.timeZone);
  const dated = (line: SourceLine): SourceLine =>
    publishedAt === undefined || "reason" in line
      ? line
      : { date: dateIn(line.asOf, publishedAt.timeZone), ...line };
  const read = (each: Parse, responses: readonly PublisherResponse[]) =>
    each(
      charset === undefined ? responses : responses.map((one) => decode(one, charset)),
      momentOf,
    );
  const parseCurrent = hasEndedSeries ? withoutEndedSeries(parse) : parse;
  return {
    terms: TERMS,
    onByDefault: false,
    ...others,
    group,
    publishedAt,
    parse: (responses) => deduplicate(read(parseCurrent, responses)).map(dated),
    ...(archive && {
      archive: {
        paceMs: PACE_MS,
        ...archive,
        addresses: (dates) => [archive.addresses(dates)].flat(),
        parse: (responses) =>
          withoutRepetitions(read(archive.parse ?? parse, responses)).map(dated),
      },
    }),
  };
}

function decode(response: PublisherResponse, charset: string): PublisherResponse {
  return { ...response, body: Buffer.from(new TextDecoder(charset).decode(response.body)) };
}
