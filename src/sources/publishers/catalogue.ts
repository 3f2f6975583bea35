import { publicationTime } from "../rules/publication-time.ts";
import { americanPublishers } from "./americas/entries.ts";
import { asianPublishers } from "./asia/entries.ts";
import { eurasianPublishers } from "./eurasia/entries.ts";
import { europeanPublishers } from "./europe/entries.ts";
import { deduplicate } from "./formats/source-lines.ts";
import { globalPublishers } from "./global/entries.ts";
import { periodicPublishers } from "./periodic/entries.ts";
import type { Entry, Publisher } from "./publisher.ts";

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

function publisherOf(entry: Entry): Publisher {
  const { publishedAt, parse } = entry;
  const momentOf = (date: string) =>
    publishedAt && publicationTime(date, publishedAt.time, publishedAt.timeZone);
  return { ...entry, parse: (responses) => deduplicate(parse(responses, momentOf)) };
}
