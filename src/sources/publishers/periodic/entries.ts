import type { Entry } from "../publisher.ts";
import { parseUst } from "./ust.ts";

const FISCAL_DATA = "https://api.fiscaldata.treasury.gov/services/api/fiscal_service/v1";

/** Tables for a month or a quarter. */
export const periodicPublishers: readonly Entry[] = [
  {
    key: "ust",
    name: "US Department of the Treasury",
    country: "US",
    terms: "A work of the United States government, in the public domain in the United States.",
    termsUrl: "https://fiscaldata.treasury.gov/api-documentation/#license-and-authorization",
    addresses: [`${FISCAL_DATA}/accounting/od/rates_of_exchange?sort=-record_date&page[size]=400`],
    // "Treasury Reporting Rates of Exchange": "released quarterly", dated the last day of the
    // quarter, without a day or a time of release. It appears in the first days of the next one.
    // The 7th of these months is no federal holiday in any year. Off by default: a quarter's
    // figure of two digits beside the day's figures of others would be taken for one of the day.
    schedule: {
      cron: "0 12 7 1,4,7,10 *",
      timeZone: "America/New_York",
      holidays: [],
      // The 7th less 8 days is before the quarter's last day, and after that of any month before.
      leadDays: 8,
      amendmentsCron: "0 12 * * 1-5",
    },
    publishedAt: { time: "00:00", timeZone: "America/New_York" },
    onByDefault: false,
    parse: parseUst,
  },
];
