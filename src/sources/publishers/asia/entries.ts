import type { Entry } from "../publisher.ts";
import { sydneyHolidays } from "./holidays.ts";
import { parseRba } from "./rba.ts";

/** Central banks of Asia and the Pacific. */
export const asianPublishers: readonly Entry[] = [
  {
    key: "rba",
    name: "Reserve Bank of Australia",
    country: "AU",
    terms: "The conditions of the bank apply; check them before passing the figures on.",
    termsUrl: "https://www.rba.gov.au/copyright/",
    addresses: ["https://www.rba.gov.au/statistics/tables/csv/f11.1-data.csv"],
    // "Definitions and Sources": the rates "at 4.00 pm (Sydney) on the day concerned". The file is
    // written some 40 minutes later.
    schedule: { cron: "50 16 * * 1-5", timeZone: "Australia/Sydney", holidays: sydneyHolidays },
    publishedAt: { time: "16:00", timeZone: "Australia/Sydney" },
    onByDefault: false,
    parse: parseRba,
  },
];
