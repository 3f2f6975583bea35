import { parseHolidays } from "../../rules/holidays.ts";

/** bankofcanada.ca, "Bank of Canada holiday schedule"; one at a weekend is kept after it. */
export const canadianHolidays = parseHolidays(`2017-:
  01-01 workday, 02-15 monday (Family Day), easter-2, 05-18 monday (Victoria Day),
  07-01 workday (Canada Day), 08-01 monday (Civic Holiday), 09-01 monday (Labour Day),
  09-30 workday (National Day for Truth and Reconciliation) 2021-, 10-08 monday (Thanksgiving),
  11-11 workday (Remembrance Day), 12-25 workday, 12-25 workday 2 (Boxing Day)`);

/**
 * Holidays by the Colombian law 51 of 1983, which moves many to the next Monday, and, as the
 * authority's own dates since 2004 have it, those of the banks in New York and the banks' last
 * working day of the year, which is listed where it is not the 31st.
 */
export const colombianHolidays = parseHolidays(`2000-:
  01-01, 05-01, 07-20, 08-07, 12-08, 12-25 2002-, easter-3 (Maundy Thursday), easter-2,
  easter+43 (Ascension Day), easter+64 (Corpus Christi), easter+71 (Sacred Heart), 01-06 monday,
  03-19 monday, 06-29 monday, 08-15 monday, 10-12 monday, 11-01 monday, 11-11 monday,
  01-15 monday (Martin Luther King Day) 2004-, 02-15 monday (Presidents' Day) 2004-,
  05-25 monday (Memorial Day) 2004-, 06-19 (Juneteenth) 2024-, 07-04 2004-,
  09-01 monday (Labor Day) 2004-, 10-08 monday (Columbus Day) 2004-, 11-11 (Veterans Day) 2004-,
  11-22 thursday (Thanksgiving) 2004-, 12-31 2004-, 2005-12-30, 2006-12-29, 2011-12-30, 2016-12-30,
  2017-12-29, 2022-12-30, 2023-12-29`);

/**
 * Holidays by the Argentine law 27.399. Four of them move to a Monday, by rules that depend on the
 * weekday; they are listed for 2026.
 */
export const argentineHolidays = parseHolidays(`2026-:
  easter-48 (Carnival), easter-47, easter-2, 01-01, 03-24, 04-02, 05-01, 05-25, 06-20, 07-09,
  12-08, 12-25, 2026-06-15, 2026-08-17, 2026-10-12, 2026-11-23`);

/**
 * National holidays of Brazil by the law 662 of 1949 as it is since 2003, and those on which its
 * banks are closed, too, by the National Monetary Council's resolutions 2932 and 4880.
 */
export const brazilianHolidays = parseHolidays(`2003-:
  01-01, easter-48 (Carnival), easter-47, easter-2, 04-21, 05-01, easter+60 (Corpus Christi),
  09-07, 10-12, 11-02, 11-15, 11-20 2024-, 12-25`);

/** Days on which Mexican banks are closed, by the supervisor's yearly provisions. */
export const mexicanHolidays = parseHolidays(`2026-:
  01-01, 02-01 monday (Constitution Day), 03-15 monday (Benito Juárez's birthday),
  easter-3 (Maundy Thursday), easter-2, 05-01, 09-16, 11-02, 11-15 monday (Revolution Day), 12-12,
  12-25`);
