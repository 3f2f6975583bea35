import { parseHolidays } from "../../rules/holidays.ts";
import { jsonRows } from "../formats/json-text.ts";
import { codesByName } from "../formats/notation.ts";
import { lineOf, linesOfKinds } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/** By the Public Holidays Act, without the Islamic ones and days that the government adds. */
const nigerianHolidays = parseHolidays(`2026-:
  01-01, easter-2, easter+1, 05-01, 06-12 (Democracy Day), 10-01, 12-25, 12-26`);

/** The riyal is that of Saudi Arabia: by the bank's figures one dollar has 3.75. */
const CURRENCIES = codesByName(`AED UAE DIRHAM, CHF SWISS FRANC, CNY YUAN/RENMINBI,
  DKK DANISH KRONA, EUR EURO, GBP POUNDS STERLING, JPY YEN, SAR RIYAL, USD US DOLLAR, XDR SDR,
  ZAR SOUTH AFRICAN RAND`);

/** The West African unit of account has no code, the CFA franc two: the bank names neither. */
const LEFT_OUT: ReadonlySet<string | undefined> = new Set(["CFA", "WAUA"]);

/** Of the history since 2001, 62,000 rows with names that have changed, these days are read. */
const DAYS = { days: 31 };

/** Reads the Central Bank of Nigeria's rates (GetAllExchangeRates): the naira per unit. */
const parseCbn: Parse = ([response], momentOf) => {
  const rows = jsonRows(response).filter(({ currency }) => !LEFT_OUT.has(currency));
  const dates = [...new Set(rows.map(({ ratedate = "" }) => ratedate))].sort();
  const newest = dates.findLast((date) => momentOf(date) !== undefined);
  const first = newest && Temporal.PlainDate.from(newest).subtract(DAYS).toString();
  return rows.flatMap((row) => {
    const { currency = "?", ratedate } = row;
    const { centralrate: middle, buyingrate: buying, sellingrate: selling } = row;
    if (ratedate !== undefined && first !== undefined && ratedate < first) return [];
    const stated = { base: CURRENCIES.get(currency), quote: "NGN", asOf: momentOf(ratedate) };
    return linesOfKinds({ middle, buying, selling }, (rate) =>
      lineOf({ ...stated, rate }, currency),
    );
  });
};

export const cbn: Entry = {
  key: "cbn",
  name: "Central Bank of Nigeria",
  country: "NG",
  terms: "Free to copy, the Central Bank of Nigeria named as the source, the contents unchanged.",
  termsUrl: "https://www.cbn.gov.ng/Legal.html",
  addresses: ["https://www.cbn.gov.ng/api/GetAllExchangeRates"],
  // The bank names no time: at 13:50 of a working day it did not have the figures of that day yet.
  schedule: { cron: "30 18 * * 1-5", timeZone: "Africa/Lagos", holidays: nigerianHolidays },
  publishedAt: "17:00",
  parse: parseCbn,
};
