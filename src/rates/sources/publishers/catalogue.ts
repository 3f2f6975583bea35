import type { SourceLine } from "../../served/rules/rate.ts";
import { dateIn, publicationTime } from "../rules/publication-time.ts";
import { africanPublishers } from "./africa/entries.ts";
import { americanPublishers } from "./americas/entries.ts";
import { asianPublishers } from "./asia/entries.ts";
import { eurasianPublishers } from "./eurasia/entries.ts";
import { europeanPublishers } from "./europe/entries.ts";
import { deduplicate, withoutRepetitions } from "./formats/source-lines.ts";
import { globalPublishers } from "./global/entries.ts";
import { periodicPublishers } from "./periodic/entries.ts";
import type { Entry, Publisher, PublisherResponse } from "./publisher.ts";

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

const all = groups.flatMap(([group, entries]) => entries.map((entry) => publisherOf(entry, group)));

/** All publishers, in the default order of precedence: those that are on by default come first. */
export const publishers: readonly Publisher[] = [
  ...all.filter(({ onByDefault }) => onByDefault),
  ...all.filter(({ onByDefault }) => !onByDefault),
];

function publisherOf({ archive, ...entry }: Entry, group: string): Publisher {
  const { publishedAt, charset, parse } = entry;
  const momentOf = (date: string) =>
    publishedAt && publicationTime(date, publishedAt.time, publishedAt.timeZone);
  const inUtf8 = (responses: readonly PublisherResponse[]) =>
    charset === undefined ? responses : responses.map((each) => decoded(each, charset));
  const dated = (line: SourceLine): SourceLine =>
    publishedAt === undefined || "reason" in line
      ? line
      : { date: dateIn(line.asOf, publishedAt.timeZone), ...line };
  return {
    ...entry,
    group,
    parse: (responses) => deduplicate(parse(inUtf8(responses), momentOf)).map(dated),
    ...(archive && {
      archive: {
        ...archive,
        parse: (responses) =>
          withoutRepetitions((archive.parse ?? parse)(inUtf8(responses), momentOf)).map(dated),
      },
    }),
  };
}

function decoded(response: PublisherResponse, charset: string): PublisherResponse {
  return { ...response, body: Buffer.from(new TextDecoder(charset).decode(response.body)) };
}
