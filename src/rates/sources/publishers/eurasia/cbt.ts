import { isAmong, parseHolidays } from "../../rules/holidays.ts";
import { dateAs, isoDateOf } from "../formats/notation.ts";
import { lineOfUnits, required } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt } from "../formats/xml-text.ts";
import type { Entry, Parse } from "../publisher.ts";

/** Those with a fixed date: not those of the Islamic calendar, and no day that a decree moves. */
const turkmenHolidays = parseHolidays("2020-: 01-01, 03-08, 05-18, 09-27, 10-06, 12-12");

/** The bank has a file for each date but Sundays and days off. */
function addressOf(date: Temporal.PlainDate): string {
  const isOff = date.dayOfWeek === 7 || isAmong(turkmenHolidays.days, date);
  if (isOff) return addressOf(date.subtract({ days: 1 }));
  return `https://cbt.tm/kurs/${dateAs("yyyy/ddmmyyyy", date)}.xml`;
}

/**
 * Reads the Central Bank of Turkmenistan's official rates (cbt.tm, kurs): the manats as `rate_tmt`
 * per `multiplier` units of a currency. Until 2023 the date was written as `2023-05-20`.
 */
const parseCbt: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "cbt_currency_rate");
  const date = textAt(document, "date");
  const asOf = required(momentOf(isoDateOf(date) || date), "date is not as in 20.05.2026");
  return elementsAt(document, "rate").map((element) => {
    const rate = textAt(element, "rate_tmt");
    const stated = { base: element.attributes.code, quote: "TMT", rate, asOf };
    return lineOfUnits(textAt(element, "multiplier"), stated);
  });
};

export const cbt: Entry = {
  key: "cbt",
  name: "Central Bank of Turkmenistan",
  country: "TM",
  addresses: [addressOf],
  // In effect from the date on: the file of 20 May 2026 was written at 15:34 of the day before.
  schedule: { cron: "0 6 * * 1-6", timeZone: "Asia/Ashgabat", holidays: turkmenHolidays },
  publishedAt: "00:00",
  parse: parseCbt,
  archive: {
    since: "2020-04-17",
    requestsBy: "day",
    addresses: ({ from }) => addressOf(Temporal.PlainDate.from(from)),
    isAbsentBy404: true,
  },
};
