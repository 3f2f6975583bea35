import { parseHolidays } from "../../rules/holidays.ts";

// The days on which each publisher does not publish, as of 2026. Nearly all are rules, which hold
// until a law or a bank changes them. A day that is not listed counts as a day of publication: a
// missing holiday causes a false alarm, but a wrong one would hide a missed publication. So a day
// is listed only if the publisher or a law names it.

/** TARGET's closing days: ecb.europa.eu, "TARGET calendar". The same in every year since 2002. */
export const targetHolidays = parseHolidays("01-01, easter-2, easter+1, 05-01, 12-25, 12-26");

/** Public holidays by the Czech act 245/2000, on which the bank does not fix rates. */
export const czechHolidays = parseHolidays(`
  01-01, easter-2, easter+1, 05-01, 05-08, 07-05, 07-06, 09-28, 10-28, 11-17, 12-24, 12-25, 12-26`);

/** Days off work by the Polish act of 18 January 1951; 24 December is one since 2025. */
export const polishHolidays = parseHolidays(`
  01-01, 01-06, easter+1, 05-01, 05-03, easter+60 (Corpus Christi), 08-15, 11-01, 11-11, 12-24,
  12-25, 12-26`);

/**
 * Norwegian public holidays, and Christmas Eve: norges-bank.no, "Settlement days" and "FAQ Exchange
 * rates" ("Exchange rates are not published on Christmas Eve").
 */
export const norwegianHolidays = parseHolidays(`
  01-01, easter-3 (Maundy Thursday), easter-2, easter+1, 05-01, 05-17, easter+39,
  easter+50 (Whit Monday), 12-24, 12-25, 12-26`);

/** riksbank.se, "Holidays 2026": public holidays and three eves. */
export const swedishHolidays = parseHolidays(`
  01-01, 01-06, easter-2, easter+1, 05-01, easter+39, 06-06, 06-19 friday (Midsummer Eve), 12-24,
  12-25, 12-26, 12-31`);

/** Public holidays by article 139 of the Romanian Labour Code, on which the bank sets no rates. */
export const romanianHolidays = parseHolidays(`
  01-01, 01-02, 01-06, 01-07, 01-24, orthodox-2, orthodox+1, 05-01, 06-01,
  orthodox+50 (Whit Monday), 08-15, 11-30, 12-01, 12-25, 12-26`);

/**
 * nationalbanken.dk, "Danmarks Nationalbank's exchange rates": "all weekdays, except for Danish
 * public holidays, the day after Ascension Day, 1 May, Constitution Day (5 June), 24 December and
 * 31 December". Store Bededag is no public holiday since 2024.
 */
export const danishHolidays = parseHolidays(`
  01-01, easter-3 (Maundy Thursday), easter-2, easter+1, easter+39, easter+40,
  easter+50 (Whit Monday), 05-01, 06-05, 12-24, 12-25, 12-26, 12-31`);

/** Public holidays in Zurich that are ones in most of Switzerland too. */
export const swissHolidays = parseHolidays(`
  01-01, easter-2, easter+1, easter+39, easter+50 (Whit Monday), 08-01, 12-25, 12-26`);

/** Public holidays by the Icelandic act 88/1971, without the afternoons of 24 and 31 December. */
export const icelandicHolidays = parseHolidays(`
  01-01, easter-3 (Maundy Thursday), easter-2, easter+1, 04-19 thursday (First Day of Summer),
  easter+39, easter+50 (Whit Monday), 08-01 monday, 05-01, 06-17, 12-25, 12-26`);

/** Holidays by § 102 of the Hungarian Labour Code, without the days off that a minister moves. */
export const hungarianHolidays = parseHolidays(`
  01-01, 03-15, easter-2, easter+1, 05-01, easter+50 (Whit Monday), 08-20, 10-23, 11-01, 12-24,
  12-25, 12-26`);
