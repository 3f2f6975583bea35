import { isoDateOf } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import { parseXmlText, textsAt } from "../formats/xml-text.ts";
import type { Entry, Parse } from "../publisher.ts";

const DATASET = "UN_OPERATIONAL_RATES_DATASET";

/**
 * Reads the United Nations' operational rates of exchange (treasury.un.org, xsql2XML): the units
 * of a currency for a US dollar from a date on, a row for each country.
 */
const parseUnore: Parse = ([response], momentOf) =>
  textsAt(parseXmlText(response, DATASET), "UN_OPERATIONAL_RATES").flatMap((row) => {
    const { f_curr_code: quote, rate, eff_date: date } = row;
    if (quote === "USD") return []; // the dollar of other countries
    return [lineOf({ base: "USD", quote, rate, asOf: momentOf(isoDateOf(date)) }, row.name)];
  });

export const unore: Entry = {
  key: "unore",
  name: "United Nations Treasury",
  country: "US",
  terms:
    "Intended only for the internal record-keeping of the United Nations, without a warranty of " +
    "accuracy; check its conditions before passing the figures on.",
  termsUrl: "https://treasury.un.org/operationalrates/",
  addresses: ["https://treasury.un.org/operationalrates/xsql2XML.php"],
  // "Schedule of UN Operational Rates of Exchange": effective on the 1st, published two or three
  // days before, and "if applicable" on the 15th; those of January 2016 and 2019 on 31 December.
  schedule: {
    cron: "0 12 1 * *",
    timeZone: "America/New_York",
    amendmentsCron: "0 12 * * 1-5",
  },
  publishedAt: "00:00",
  parse: parseUnore,
};
