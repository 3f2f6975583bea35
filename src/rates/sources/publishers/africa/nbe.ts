import { parseHolidays, workdayUntil } from "../../rules/holidays.ts";
import { listAt, membersOf, parseJsonText, textsOf } from "../formats/json-text.ts";
import { lineOf, linesOfKinds } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/** By law, without the Islamic ones; the new year and Meskel are a day later before a leap year. */
const ethiopianHolidays = parseHolidays(`2024-:
  01-07 (Genna), 01-19 (Timket), 03-02 (Adwa), orthodox-2, 05-01, 05-05 (Patriots' Day),
  09-11 2024-2026, 09-27 2024-2026, 2027-09-12, 2027-09-28`);

const addressOf = (date: string | Temporal.PlainDate) =>
  `https://api.nbe.gov.et/api/filter-exchange-rates?date=${date}`;

/** The bank has a document for each working day. */
const openDayUntil = (date: Temporal.PlainDate) => workdayUntil(date, ethiopianHolidays);

/** Reads the National Bank of Ethiopia's rates (filter-exchange-rates): the birr per unit. */
const parseNbe: Parse = ([response], momentOf) =>
  listAt(parseJsonText(response), "data").flatMap((row) => {
    const { code: base } = textsOf(membersOf(row).currency);
    const { date, weighted_average: middle, buying, selling } = textsOf(row);
    const stated = { base, quote: "ETB", asOf: momentOf(date) };
    return linesOfKinds({ middle, buying, selling }, (rate) => lineOf({ ...stated, rate }));
  });

export const nbe: Entry = {
  key: "nbe",
  name: "National Bank of Ethiopia",
  country: "ET",
  // The last two, of which the newer may not be there yet.
  addresses: [
    (today) => addressOf(openDayUntil(openDayUntil(today).subtract({ days: 1 }))),
    (today) => addressOf(openDayUntil(today)),
  ],
  // "Indicative Daily Exchange Rate": of the transactions "in previous day", "updated only on
  // weekdays". The bank names no time.
  schedule: { cron: "0 13 * * 1-5", timeZone: "Africa/Addis_Ababa", holidays: ethiopianHolidays },
  publishedAt: "09:00",
  parse: parseNbe,
  // Since the months after the birr was floated. A response allows 60 requests, of a minute.
  archive: {
    since: "2024-10-01",
    requestsBy: "day",
    addresses: ({ from }) => addressOf(from),
    paceMs: 1500,
  },
};
