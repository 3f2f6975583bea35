import type { Dates } from "../../rules/archive-ranges.ts";
import { parseHolidays } from "../../rules/holidays.ts";
import { listAt, membersOf, parseJsonText, textOf } from "../formats/json-text.ts";
import { isoDateOfDigits } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import { type Entry, EURO, type Parse, ParseError } from "../publisher.ts";

/** By the Act on National Holidays and, around New Year, the Banking Act. */
const japaneseHolidays = parseHolidays(`2026:
  01-01, 01-02, 01-03, 12-31, 01-08 monday, 02-11, 02-23, 04-29, 05-03, 05-04, 05-05, 08-11, 11-03,
  07-15 monday, 09-15 monday, 10-08 monday, 11-23, 2026-03-20, 2026-05-06, 2026-09-22, 2026-09-23`);

/** The rates at 17:00 in Tokyo's market, by the codes of their series. */
const SERIES: Readonly<Record<string, readonly [base: string, quote: string]>> = {
  FXERD04: ["USD", "JPY"],
  FXERD34: ["EUR", "USD"],
};

const monthOf = (date: string) => date.slice(0, 7).replace("-", "");

const addressOf = ({ from, to }: Dates) =>
  "https://www.stat-search.boj.or.jp/api/v1/getDataCode?format=json&lang=en&db=FM08" +
  `&code=${Object.keys(SERIES).join(",")}&startDate=${monthOf(from)}&endDate=${monthOf(to)}`;

/**
 * Reads series of the Bank of Japan's Time-Series Data Search (stat-search.boj.or.jp, getDataCode):
 * a list of dates, and one of their values, which is null for a day without one.
 */
const parseBoj: Parse = ([response], momentOf) => {
  const document = membersOf(parseJsonText(response));
  const series = listAt(document, "RESULTSET");
  if (document.NEXTPOSITION !== null) throw new ParseError("the response is a page of several");
  return series.flatMap((one) => {
    const { SERIES_CODE, VALUES } = membersOf(one);
    const code = textOf(SERIES_CODE) ?? "";
    const [base, quote] = SERIES[code] ?? [];
    const dates = listAt(VALUES, "SURVEY_DATES").map(textOf);
    return listAt(VALUES, "VALUES").flatMap((value, index) => {
      if (value === null) return [];
      const asOf = momentOf(isoDateOfDigits(dates[index]));
      return [lineOf({ base, quote, rate: textOf(value), asOf }, code)];
    });
  });
};

export const boj: Entry = {
  key: "boj",
  name: "Bank of Japan",
  country: "JP",
  // "Notice Regarding the Use of the API Service", as an R package, bojapi, quotes it.
  terms:
    "Services may use it with the credit that the bank prescribes, and are asked to notify it.",
  termsUrl: "https://www.stat-search.boj.or.jp/info/api_notice_en.pdf",
  // By months.
  addresses: { latestDays: 10 },
  // On a Tuesday, at the latest, Friday's rates were there, and not yet Monday's: two working days
  // later, in Tokyo's morning, for which the bank names no time.
  schedule: {
    cron: "0 11 * * 1-5",
    timeZone: "Asia/Tokyo",
    holidays: japaneseHolidays,
    leadDays: 6,
  },
  publishedAt: "17:00",
  parse: parseBoj,
  archive: { since: EURO, requestsBy: "year", addresses: addressOf },
};
