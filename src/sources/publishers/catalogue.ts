import type { SourceLine } from "../../rates/rules/rate.ts";
import { dateIn, publicationTime } from "../rules/publication-time.ts";
import { americanPublishers } from "./americas/entries.ts";
import { asianPublishers } from "./asia/entries.ts";
import { eurasianPublishers } from "./eurasia/entries.ts";
import { europeanPublishers } from "./europe/entries.ts";
import { deduplicate, withoutRepetitions } from "./formats/source-lines.ts";
import { globalPublishers } from "./global/entries.ts";
import { periodicPublishers } from "./periodic/entries.ts";
import type { Entry, Publisher, PublisherResponse } from "./publisher.ts";

const entries: readonly Entry[] = [
  ...europeanPublishers,
  ...eurasianPublishers,
  ...asianPublishers,
  ...americanPublishers,
  ...globalPublishers,
  ...periodicPublishers,
];

/** All publishers, in the default order of precedence: those that are on by default come first. */
export const publishers: readonly Publisher[] = entries.map(publisherOf);

function publisherOf({ archive, ...entry }: Entry): Publisher {
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
