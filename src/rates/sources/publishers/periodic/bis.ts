import { parseCsvText } from "../formats/csv-text.ts";
import { lastDayOf } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/** Of a currency of several areas one counts: an area's older figures are those of another one. */
const AREAS: Readonly<Record<string, string>> = {
  ...{ AUD: "AU", EUR: "XM", XAF: "CM", XCD: "AG", XOF: "WA" },
};

/** Codes that the bank has kept after a change of the currency, whose figures are the new one's. */
const CODES: Readonly<Record<string, string>> = { SLL: "SLE", VEF: "VES" };

/** The dollar itself, and two currencies that have ended. */
const LEFT_OUT: ReadonlySet<string | undefined> = new Set(["ANG", "STD", "USD"]);

/**
 * Reads the Bank for International Settlements' rates at the end of a month (stats.bis.org, WS_XRU
 * as CSV): how much of an area's currency one US dollar costs.
 */
const parseBis: Parse = ([response], momentOf) =>
  parseCsvText(response, ["REF_AREA", "CURRENCY", "TIME_PERIOD", "OBS_VALUE", "UNIT_MULT"])
    .filter(({ REF_AREA: area, CURRENCY: code = "" }) => area === (AREAS[code] ?? area))
    .filter(({ CURRENCY: code }) => !LEFT_OUT.has(code))
    .map(({ CURRENCY: code = "", TIME_PERIOD: month, OBS_VALUE: value, UNIT_MULT: power }) => {
      const rate = power === "0" ? value : undefined;
      const quote = CODES[code] ?? code;
      return lineOf({ base: "USD", quote, rate, asOf: momentOf(lastDayOf(month)) });
    });

const monthOf = (date: Temporal.PlainDate) => date.toPlainYearMonth().toString();

export const bis: Entry = {
  key: "bis",
  name: "Bank for International Settlements",
  country: "CH",
  terms: "Use is permitted under the bank's terms, the BIS named as the source.",
  termsUrl: "https://www.bis.org/terms_statistics.htm",
  addresses: [
    (today) => ({
      address:
        "https://stats.bis.org/api/v2/data/dataflow/BIS/WS_XRU/1.0/M...E?c%5BTIME_PERIOD%5D=" +
        `ge:${monthOf(today.subtract({ months: 1 }))}%2Ble:${monthOf(today)}`,
      headers: { accept: "application/vnd.sdmx.data+csv;version=1.0.0" },
    }),
  ],
  // "About foreign exchange statistics": monthly data "are updated in the middle of each month";
  // its release calendar has the 17th to the 22nd.
  schedule: { cron: "0 12 24 * *", timeZone: "Europe/Zurich", leadDays: 25 },
  publishedAt: "23:59",
  parse: parseBis,
};
