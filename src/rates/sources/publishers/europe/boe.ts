import type { Dates } from "../../rules/archive-ranges.ts";
import { parseHolidays } from "../../rules/holidays.ts";
import { parseCsvText } from "../formats/csv-text.ts";
import { dateAs, isoDateOf } from "../formats/notation.ts";
import { lineOf, utf8TextOf } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/** Public holidays of England and Wales, by the list of gov.uk. */
const englishHolidays = parseHolidays(`2026-:
  01-01 workday, easter-2, easter+1, 05-01 monday, 05-25 monday, 08-25 monday, 12-25 workday,
  12-25 workday 2 (Boxing Day)`);

/** The daily spot rates of the bank's database, by their codes: a currency's units per pound. */
const SERIES: Readonly<Record<string, string>> = {
  ...{ XUDLUSS: "USD", XUDLERS: "EUR", XUDLJYS: "JPY", XUDLCDS: "CAD", XUDLSFS: "CHF" },
  ...{ XUDLADS: "AUD", XUDLNDS: "NZD", XUDLNKS: "NOK", XUDLSKS: "SEK", XUDLDKS: "DKK" },
  ...{ XUDLHDS: "HKD", XUDLSGS: "SGD", XUDLSRS: "SAR", XUDLZRS: "ZAR", XUDLTWS: "TWD" },
  ...{ XUDLBK25: "CZK", XUDLBK33: "HUF", XUDLBK47: "PLN", XUDLBK78: "ILS", XUDLBK83: "MYR" },
  ...{ XUDLBK87: "THB", XUDLBK89: "CNY", XUDLBK93: "KRW", XUDLBK95: "TRY", XUDLBK97: "INR" },
  ...{ XUDLZOS4: "RON" },
};

/** Reads series of the Bank of England's database (bankofengland.co.uk, boeapps/database). */
const parseBoe: Parse = ([response], momentOf) => {
  const [, ...names] = utf8TextOf(response?.body).split("\n", 1).join().split(",");
  return parseCsvText(response, ["DATE", ...names]).flatMap((row) => {
    const asOf = momentOf(isoDateOf(row.DATE));
    return names.flatMap((name) => {
      const rate = row[name];
      // An empty field: a series that had not begun, or a day without a rate.
      const line = lineOf({ base: "GBP", quote: SERIES[name], rate, asOf }, name);
      return rate === "" ? [] : [line];
    });
  });
};

const DATABASE =
  "https://www.bankofengland.co.uk/boeapps/database/_iadb-fromshowcolumns.asp?csv.x=yes";

function addressOf(dates: Dates): string {
  const [from, to] = [dates.from, dates.to].map((date) => dateAs("dd/Mon/yyyy", date));
  const codes = Object.keys(SERIES).join(",");
  return `${DATABASE}&Datefrom=${from}&Dateto=${to}&SeriesCodes=${codes}&CSVF=TN&UsingCodes=Y`;
}

export const boe: Entry = {
  key: "boe",
  name: "Bank of England",
  country: "GB",
  // "Further details about spot exchange rates data", on its sources.
  terms: "Of several sources, of which LSEG forbids passing its content on without its consent.",
  termsUrl:
    "https://www.bankofengland.co.uk/statistics/details" +
    "/further-details-about-spot-exchange-rates-data",
  addresses: { latestDays: 7 },
  // "As observed [...] in the London interbank market around 4pm"; published at no stated time.
  schedule: { cron: "30 17 * * 1-5", timeZone: "Europe/London", holidays: englishHolidays },
  publishedAt: "16:00",
  parse: parseBoe,
  // Datefrom and Dateto. Since the new lira and the new leu.
  archive: { since: "2006-01-03", requestsBy: "year", addresses: addressOf },
};
