import { parseCsvText } from "../formats/csv-text.ts";
import { lastDayOf } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";
import { HMRC_RATE, hmrcCurrency } from "./parsers.ts";

/** Where the office has its files. */
export const HMRC_FILES = "https://www.trade-tariff.service.gov.uk/uk/api/exchange_rates/files";

/** What is known of the office whose tables these are. */
export const hmrcOffice = {
  name: "HM Revenue & Customs",
  country: "GB",
  terms: "Open Government Licence: free to reuse when HM Revenue & Customs is named as the source.",
  termsUrl: "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
} as const;

/**
 * Reads HM Revenue & Customs' averages of a year or its rates at the end of one
 * (trade-tariff.service.gov.uk, average_csv and spot_csv): the units of a currency for a pound.
 * Only the address says which year has ended: `average_csv_2026-3.csv`.
 */
const parseHmrcYear: Parse = ([response], momentOf) => {
  const [, year, month = ""] = /_csv_(\d{4})-(\d{1,2})\.csv$/.exec(response?.address ?? "") ?? [];
  const date = lastDayOf(`${year}-${month.padStart(2, "0")}`);
  return parseCsvText(response, ["Currency Code", HMRC_RATE]).map((row) => {
    const quote = hmrcCurrency(row["Currency Code"], date ?? "");
    const rate = row[HMRC_RATE] || undefined;
    return lineOf({ base: "GBP", quote, rate, asOf: momentOf(date) });
  });
};

function tableOfYears(table: "average" | "spot"): Entry {
  const addressOf = ({ year, month }: { readonly year: number; readonly month: number }) =>
    `${HMRC_FILES}/${table}_csv_${year}-${month}.csv`;
  return {
    key: `hmrc-${table}`,
    ...hmrcOffice,
    addresses: [
      (today) => {
        const { year, month } = today.add({ days: 1 });
        return addressOf(month > 3 ? { year, month: 3 } : { year: year - 1, month: 12 });
      },
    ],
    // "HMRC Exchange Rate Service", 9 November 2023: both are published "on 31st March and 31st
    // December every year". Those of 31 March 2012 were announced for 9 April; the 7th less 8 days
    // is before the day that they state.
    schedule: { cron: "0 12 7 1,4 *", timeZone: "Europe/London", leadDays: 8 },
    publishedAt: "23:59",
    parse: parseHmrcYear,
    // Averages before are files without codes; of the other rates there are no files.
    archive: {
      since: "2023-12-31",
      requestsBy: "quarter",
      addresses: ({ to }) =>
        /-(03|12)-31$/.test(to) ? addressOf(Temporal.PlainDate.from(to)) : [],
    },
  };
}

/** The averages of the years to 31 March and 31 December, for tax returns. */
export const hmrcAverage = tableOfYears("average");

/** The closing rates of 31 March and 31 December. */
export const hmrcSpot = tableOfYears("spot");
