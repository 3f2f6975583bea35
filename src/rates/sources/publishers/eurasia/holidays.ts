import { parseHolidays } from "../../rules/holidays.ts";

/**
 * Non-working holidays by article 112 of the Russian Labour Code. The days to which the government
 * moves days off differ each year; they are listed through 2026, by its decrees for 2025 and 2026
 * and that article.
 */
export const russianHolidays = parseHolidays(`
  01-01, 01-02, 01-03, 01-04, 01-05, 01-06, 01-07, 01-08, 02-23, 03-08, 05-01, 05-09, 06-12, 11-04,
  2025-12-31, 2026-01-09, 2026-03-09, 2026-05-11, 2026-12-31`);

/** Holidays by the Georgian Labour Code. */
export const georgianHolidays = parseHolidays(`
  01-01, 01-02, 01-07, 01-19, 03-03, 03-08, 04-09, orthodox-2, orthodox+1, 05-09, 05-12, 05-26,
  08-28, 10-14, 11-23`);

/** Holidays by the Kyrgyz Labour Code, without those of the Islamic calendar. */
export const kyrgyzHolidays = parseHolidays(`
  01-01, 01-07, 02-23, 03-08, 03-21, 05-01, 05-05, 05-09, 08-31, 11-07, 11-08`);

/** Holidays by the Belarusian decree 157 of 1998 that are no working days. */
export const belarusianHolidays = parseHolidays(`
  01-01, 01-02, 01-07, 03-08, orthodox+9 (Radunitsa), 05-01, 05-09, 07-03, 11-07, 12-25`);

/** None: under martial law, Ukraine's holidays are working days (law 2136-IX, article 6). */
export const ukrainianHolidays = parseHolidays("");

/** Holidays by the Uzbek Labour Code, without those of the Islamic calendar. */
export const uzbekHolidays = parseHolidays("01-01, 03-08, 03-21, 05-09, 09-01, 10-01, 12-08");

/** Holidays by the Kazakh law 267 of 2001, without those of the Islamic calendar. */
export const kazakhHolidays = parseHolidays(`
  01-01, 01-02, 01-07, 03-08, 03-21, 03-22, 03-23, 05-01, 05-07, 05-09, 07-06, 08-30, 10-25,
  12-16`);

/** Holidays by article 111 of the Moldovan Labour Code, without those of a locality. */
export const moldovanHolidays = parseHolidays(`
  01-01, 01-07, 01-08, 03-08, 05-01, 05-09, 06-01, orthodox+1, orthodox+8 (Memorial Easter), 08-27,
  08-31, 12-25`);

/** Holidays by the Macedonian law on holidays, without those of the Islamic calendar. */
export const macedonianHolidays = parseHolidays(`
  01-01, 01-07, 05-01, 05-24, 08-02, 09-08, 10-11, 10-23, 12-08, orthodox+1,
  2026-05-25 (24 May is a Sunday)`);

/** Non-working days by the Armenian law on holidays and memorable days. */
export const armenianHolidays = parseHolidays(`
  01-01, 01-02, 01-06, 01-28, 03-08, 04-24, 05-01, 05-09, 05-28, 07-05, 09-21, 12-31`);

/** Holidays by the Turkish law 2429, without those of the Islamic calendar and half days. */
export const turkishHolidays = parseHolidays("01-01, 04-23, 05-01, 05-19, 07-15, 08-30, 10-29");
