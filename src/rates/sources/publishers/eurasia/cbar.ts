import { parseHolidays } from "../../rules/holidays.ts";
import { dateAs, isoDateOf } from "../formats/notation.ts";
import { lineOfUnits, required } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import type { Entry, Parse } from "../publisher.ts";

/** Holidays by article 105 of the Labor Code, without those of the Islamic calendar. */
const azerbaijaniHolidays = parseHolidays(`none:
  01-01, 01-02, 01-20 (Day of Mourning), 03-08, 03-20, 03-21, 03-22, 03-23, 03-24, 05-09, 05-28,
  06-15, 06-26, 11-08, 11-09, 12-31`);

const addressOf = (date: string) =>
  `https://www.cbar.az/currencies/${dateAs("dd.mm.yyyy", date)}.xml`;

/**
 * Reads a bulletin of the Central Bank of Azerbaijan (cbar.az, currencies): the manats per
 * `Nominal` units of a currency, or per troy ounce of a metal, from the `Date` on.
 */
const parseCbar: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "ValCurs");
  const date = momentOf(isoDateOf(document.attributes.Date));
  const asOf = required(date, "Date is not as in 25.04.2026");
  return elementsAt(document, "ValType", "Valute").map((element) => {
    const stated = {
      base: element.attributes.Code,
      quote: "AZN",
      rate: textAt(element, "Value"),
      asOf,
    };
    return lineOfUnits(textAt(element, "Nominal")?.replace(/^1 t\.u\.$/, "1"), stated);
  });
};

export const cbar: Entry = {
  key: "cbar",
  name: "Central Bank of the Republic of Azerbaijan",
  country: "AZ",
  addresses: [(today) => addressOf(today.toString())],
  // The bulletin of a date, or the last one before it; the bank names no time. The press has had
  // the rate of a 15 December on the 14th.
  schedule: { cron: "0 12 * * 1-5", timeZone: "Asia/Baku", holidays: azerbaijaniHolidays },
  publishedAt: "00:00",
  statesTroyOunces: true,
  parse: parseCbar,
  // Since 1993, but with today's code for the manat, the lira, the Turkmen manat and the Belarusian
  // ruble before their redenominations, of which this is the last.
  archive: {
    since: "2016-07-01",
    requestsBy: "day",
    addresses: ({ from }) => addressOf(from),
  },
};
