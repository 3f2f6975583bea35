import type { Entry } from "../publisher.ts";
import { southAfricanHolidays } from "./holidays.ts";
import { parseSarb, SARB_SERIES } from "./parsers.ts";

const SARB = "https://custom.resbank.co.za/SarbWebApi/WebIndicators/Shared";
const SARB_DAYS = { days: 14 };

/** Central banks of Africa. */
export const africanPublishers: readonly Entry[] = [
  {
    key: "sarb",
    name: "South African Reserve Bank",
    country: "ZA",
    addresses: SARB_SERIES.map((series) => (today) => ({
      address:
        `${SARB}/GetTimeseriesObservations/${series}` + `/${today.subtract(SARB_DAYS)}/${today}`,
    })),
    // "Current Market Rates": "Weighted average of the banks' daily rates at approximately
    // 10:30am".
    schedule: {
      cron: "0 12 * * 1-5",
      timeZone: "Africa/Johannesburg",
      holidays: southAfricanHolidays,
    },
    publishedAt: "10:30",
    parse: parseSarb,
  },
];
