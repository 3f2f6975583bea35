import { parseHolidays } from "../../rules/holidays.ts";
import { parseCsvText } from "../formats/csv-text.ts";
import { codesByName, dateAs } from "../formats/notation.ts";
import { lineOf, required, utf8TextOf } from "../formats/source-lines.ts";
import { type Entry, EURO, type Parse } from "../publisher.ts";

/** Federal holidays, on which no rate is certified. */
const federalHolidays = parseHolidays(`2026-:
  01-01, 06-19, 07-04, 11-11, 12-25, 01-15 monday, 02-15 monday, 05-25 monday, 09-01 monday,
  10-08 monday, 11-22 thursday`);

/** By the ends of the series' names: the line of currencies calls the new bolívar VEB. */
const currencies = codesByName(`
  AUD AL, BRL BZ, CAD CA, CNY CH, DKK DN, EUR EU, HKD HK, INR IN, JPY JA, KRW KO, MYR MA, MXN MX,
  NOK NO, NZD NZ, SEK SD, ZAR SF, SGD SI, LKR SL, CHF SZ, TWD TA, THB TH, GBP UK, VES VES`);

/**
 * Reads the daily rates of the Federal Reserve's release H.10 (federalreserve.gov, datadownload):
 * `RXI_N.B.JA` is yen for a dollar, `RXI$US_N.B.EU` dollars for a euro. Lines above the table
 * describe its series; that of multipliers has 0.00999999978 for the pound, which is not applied.
 */
const parseFrb: Parse = ([response], momentOf) => {
  if (response === undefined) return [];
  const text = utf8TextOf(response.body);
  const header = required(/^"Time Period",(.+)$/m.exec(text) ?? undefined, "no Time Period");
  const series = (header[1] ?? "").replaceAll('"', "").split(",");
  const table = { ...response, body: Buffer.from(text.slice(header.index)) };
  return parseCsvText(table, ["Time Period", ...series]).flatMap((row) => {
    const date = row["Time Period"] ?? "";
    return series.flatMap((name) => {
      const rate = row[name];
      const [, isOfDollar, end = ""] = /^RXI(\$US)?_N\.B\.([A-Z]+)$/.exec(name) ?? [];
      const currency = currencies.get(end);
      // A day without data; the bolívares of before 2021-10-01 share a series with today's.
      if (rate === "ND" || (currency === "VES" && date < "2021-10-01")) return [];
      const [base, quote] = isOfDollar ? [currency, "USD"] : ["USD", currency];
      return [lineOf({ base, quote, rate, asOf: momentOf(date) }, name)];
    });
  });
};

const addressOf = (query: string) =>
  "https://www.federalreserve.gov/datadownload/Output.aspx?rel=H10" +
  `&series=60f32914ab61dfab590e0e470153e3ae&${query}` +
  "&filetype=csv&label=include&layout=seriescolumn";

const american = (date: string) => dateAs("mm/dd/yyyy", date);

export const frb: Entry = {
  key: "frb",
  name: "Federal Reserve Board",
  country: "US",
  terms: "Public domain unless otherwise indicated, the Board named as the source.",
  termsUrl: "https://www.federalreserve.gov/disclaimer.htm",
  addresses: [addressOf("lastobs=10&from=&to=&type=package")],
  // "About the Release": "weekly on Mondays at 4:15 p.m."; the terms are as programs quote them.
  schedule: {
    cron: "20 16 * * 1-5",
    timeZone: "America/New_York",
    holidays: federalHolidays,
    leadDays: 10,
  },
  publishedAt: "12:00",
  parse: parseFrb,
  archive: {
    since: EURO,
    requestsBy: "year",
    addresses: ({ from, to }) => addressOf(`lastobs=&from=${american(from)}&to=${american(to)}`),
  },
};
