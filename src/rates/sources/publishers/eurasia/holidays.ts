import { parseHolidays } from "../../rules/holidays.ts";

/**
 * Non-working holidays by article 112 of the Russian Labour Code, as of 2013. The days to which the
 * government moves days off differ each year, and those which are working days instead; they are
 * listed through 2026, by that article, the government's decrees, and the bank's own dates of 2013
 * to 2022.
 */
export const russianHolidays = parseHolidays(`2013-2026:
  01-01, 01-02, 01-03, 01-04, 01-05, 01-06, 01-07, 01-08, 02-23, 03-08, 05-01, 05-09, 06-12, 11-04,
  2013-05-02, 2013-05-03, 2013-05-10, 2014-03-10, 2014-05-02, 2014-06-13, 2014-11-03, 2015-01-09,
  2015-03-09, 2015-05-04, 2015-05-11, 2016-02-20 open, 2016-02-22, 2016-03-07, 2016-05-02,
  2016-05-03, 2016-06-13, 2017-02-24, 2017-05-08, 2017-11-06, 2018-03-09, 2018-04-28 open,
  2018-04-30, 2018-05-02, 2018-06-09 open, 2018-06-11, 2018-11-05, 2018-12-29 open, 2018-12-31,
  2019-05-02, 2019-05-03, 2019-05-10, 2020-02-24, 2020-03-09, 2020-03-30, 2020-03-31, 2020-04-01,
  2020-04-02, 2020-04-03, 2020-05-04, 2020-05-05, 2020-05-11, 2021-02-20 open, 2021-02-22,
  2021-05-03, 2021-05-10, 2021-06-14, 2021-11-05, 2021-12-31, 2022-03-05 open, 2022-03-07,
  2022-05-02, 2022-05-03, 2022-05-10, 2022-06-13, 2023-02-24, 2023-05-08, 2024-04-27 open,
  2024-04-29, 2024-04-30, 2024-05-10, 2024-11-02 open, 2024-12-28 open, 2024-12-30, 2024-12-31,
  2025-05-02, 2025-05-08, 2025-06-13, 2025-11-01 open, 2025-11-03, 2025-12-31, 2026-01-09,
  2026-03-09, 2026-05-11, 2026-12-31`);

/** Holidays by the Georgian Labour Code of 2010. */
export const georgianHolidays = parseHolidays(`2011-:
  01-01, 01-02, 01-07, 01-19, 03-03, 03-08, 04-09, orthodox-2, orthodox+1, 05-09, 05-12, 05-26,
  08-28, 10-14, 11-23`);

// "none": where the government moves working days to weekends, and these are not known.

/** Holidays by the Kyrgyz Labour Code, without those of the Islamic calendar. */
export const kyrgyzHolidays = parseHolidays(`none:
  01-01, 01-07, 02-23, 03-08, 03-21, 05-01, 05-05, 05-09, 08-31, 11-07, 11-08`);

/**
 * Holidays by the Belarusian decree 157 of 1998 that are no working days, and the Saturdays that
 * the government makes working days.
 */
export const belarusianHolidays = parseHolidays(`2017-2026:
  01-01, 01-02 2020-, 01-07, 03-08, orthodox+9 (Radunitsa), 05-01, 05-09, 07-03, 11-07, 12-25,
  2017-01-21 open, 2017-04-29 open, 2017-05-06 open, 2017-11-04 open, 2018-01-20 open,
  2018-03-03 open, 2018-04-14 open, 2018-04-28 open, 2018-07-07 open, 2018-12-22 open,
  2018-12-29 open, 2019-05-04 open, 2019-05-11 open, 2019-11-16 open, 2020-01-04 open,
  2020-04-04 open, 2021-01-16 open, 2021-05-15 open, 2022-03-12 open, 2022-05-14 open,
  2023-04-29 open, 2023-05-13 open, 2023-11-11 open, 2024-05-18 open, 2024-11-16 open,
  2025-01-11 open, 2025-04-26 open, 2025-07-12 open, 2025-12-20 open, 2026-04-25 open`);

/** None: under martial law, Ukraine's holidays are working days (law 2136-IX, article 6). */
export const ukrainianHolidays = parseHolidays("2026-: ");

/** Holidays by the Uzbek Labour Code, without those of the Islamic calendar. */
export const uzbekHolidays = parseHolidays(
  "2026: 01-01, 03-08, 03-21, 05-09, 09-01, 10-01, 12-08, 2026-12-12 open",
);

/** Holidays by the Kazakh law 267 of 2001, without those of the Islamic calendar. */
export const kazakhHolidays = parseHolidays(`none:
  01-01, 01-02, 01-07, 03-08, 03-21, 03-22, 03-23, 05-01, 05-07, 05-09, 07-06, 08-30, 10-25,
  12-16`);

/** Holidays by article 111 of the Moldovan Labour Code, without those of a locality. */
export const moldovanHolidays = parseHolidays(`none:
  01-01, 01-07, 01-08, 03-08, 05-01, 05-09, 06-01, orthodox+1, orthodox+8 (Memorial Easter), 08-27,
  08-31, 12-25`);

/** Holidays by the Macedonian law on holidays, without those of the Islamic calendar. */
export const macedonianHolidays = parseHolidays(`2026-:
  01-01, 01-07, 05-01, 05-24, 08-02, 09-08, 10-11, 10-23, 12-08, orthodox+1,
  2026-05-25 (24 May is a Sunday)`);

/** Non-working days by the Armenian law on holidays and memorable days. */
export const armenianHolidays = parseHolidays(`none:
  01-01, 01-02, 01-06, 01-28, 03-08, 04-24, 05-01, 05-09, 05-28, 07-05, 09-21, 12-31`);

/**
 * Holidays by the Turkish law 2429, with the laws 5892 and 6752, without those of the Islamic
 * calendar and half days.
 */
export const turkishHolidays = parseHolidays(
  "2006-: 01-01, 04-23, 05-01 2010-, 05-19, 07-15 2017-, 08-30, 10-29",
);
