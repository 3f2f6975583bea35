import { parseHolidays } from "../../rules/holidays.ts";
import { publicationTime } from "../../rules/publication-time.ts";
import { jsonRows } from "../formats/json-text.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/** National holidays, without those of the Islamic calendar. */
const moroccanHolidays = parseHolidays(`2026-:
  01-01, 01-11, 01-14, 05-01, 07-30, 08-14, 08-20, 08-21, 10-31, 11-06, 11-18`);

const ZONE = "Africa/Casablanca";

/**
 * Reads Bank Al-Maghrib's middle rates of transfers on a day (api.centralbankofmorocco.ma,
 * CoursVirement): the dirhams for `uniteDevise` units of a currency.
 */
const parseBam: Parse = ([response]) =>
  jsonRows(response).map(({ libDevise, moyen: rate, uniteDevise, date }) => {
    // The old ouguiya's code, with the rate of the new one, which is ten of it.
    const base = libDevise === "MRO" ? "MRU" : libDevise;
    const [day = "", time = ""] = (date ?? "").split("T");
    const asOf = publicationTime(day, time, ZONE);
    return lineOfUnits(uniteDevise, { base, quote: "MAD", rate, asOf });
  });

const RATES = "https://api.centralbankofmorocco.ma/cours/Version1/api/CoursVirement";

const isWeekend = (day: Temporal.PlainDate) => day.dayOfWeek > 5;

/** A day, or Friday before a Saturday or a Sunday: the bank has no figures of these. */
const weekdayOf = (day: Temporal.PlainDate) =>
  day.subtract({ days: Math.max(0, day.dayOfWeek - 5) });

const requestOf = (day: Temporal.PlainDate, token: string) => ({
  address: `${RATES}?date=${day}T12:30:00`,
  headers: { "ocp-apim-subscription-key": token },
});

export const bam: Entry = {
  key: "bam",
  name: "Bank Al-Maghrib",
  country: "MA",
  // The weekday before has figures at any time of a day.
  addresses: [
    (today, token) => requestOf(weekdayOf(weekdayOf(today).subtract({ days: 1 })), token),
    (today, token) => requestOf(weekdayOf(today), token),
  ],
  tokenUrl: "https://apihelpdesk.centralbankofmorocco.ma/",
  // Published "à 16h15" since 2 January 2024, as the press reported; the response states 12:30.
  schedule: { cron: "30 16 * * 1-5", timeZone: ZONE, holidays: moroccanHolidays },
  parse: parseBam,
  // By the date in the address; since the new ouguiya.
  archive: {
    since: "2018-01-02",
    requestsBy: "day",
    addresses: ({ from }, token) => {
      const day = Temporal.PlainDate.from(from);
      return isWeekend(day) ? [] : requestOf(day, token);
    },
  },
};
