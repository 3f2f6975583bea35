import { parseHolidays } from "../../rules/holidays.ts";
import { listAt, membersOf, parseJsonText, textOf, textsOf } from "../formats/json-text.ts";
import { dateAs, decimalOfComma, withoutMidnight } from "../formats/notation.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/** Holidays of the whole country; the entities have further ones. */
const bosnianHolidays = parseHolidays("none: 01-01, 05-01");

const KINDS = [
  ["Middle", "middle"],
  ["Buy", "buying"],
  ["Sell", "selling"],
] as const;

/**
 * Reads lists of the Central Bank of Bosnia and Herzegovina (cbbh.ba, CurrencyExchange): one, or
 * those of some days, each with the marks for `Units` of a currency from its `Date` on.
 */
const parseCbbh: Parse = ([response], momentOf) =>
  [parseJsonText(response)].flat().flatMap((list) => {
    const asOf = momentOf(withoutMidnight(textOf(membersOf(list).Date)));
    return listAt(list, "CurrencyExchangeItems").flatMap((item) => {
      const row = textsOf(item);
      return KINDS.flatMap(([name, kind]) => {
        const text = row[name];
        // The special drawing right is neither bought nor sold.
        if (text === "") return [];
        // Whether decimals have a point or a comma depends on the language that the server assumes.
        const rate = text?.includes(",") ? decimalOfComma(text) : text;
        return [
          { ...lineOfUnits(row.Units, { base: row.AlphaCode, quote: "BAM", rate, asOf }), kind },
        ];
      });
    });
  });

export const cbbh: Entry = {
  key: "cbbh",
  name: "Central Bank of Bosnia and Herzegovina",
  country: "BA",
  termsUrl: "https://www.cbbh.ba/Content/Read/473",
  // The list of a date, or the last one before it.
  addresses: [
    (today) =>
      "https://www.cbbh.ba/CurrencyExchange/GetJson" +
      `?date=${dateAs("mm/dd/yyyy", today.add({ days: 1 }))}%2000:00:00`,
  ],
  // "Currency Exchange List": "published every working day after 4:00 p.m.", for the next date.
  schedule: { cron: "15 16 * * 1-5", timeZone: "Europe/Sarajevo", holidays: bosnianHolidays },
  publishedAt: "00:00",
  parse: parseCbbh,
  // GetJsonForPeriod, and its 404 where there is no list. Since the new lira and the new leu.
  archive: {
    since: "2006-01-03",
    requestsBy: "quarter",
    addresses: ({ from, to }) =>
      `https://www.cbbh.ba/CurrencyExchange/GetJsonForPeriod?dateFrom=${from}&dateTo=${to}`,
    isAbsentBy404: true,
  },
};
