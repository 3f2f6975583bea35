import { parseHolidays } from "../../rules/holidays.ts";

// The days on which each publisher does not publish, and since when. Nearly all are rules, which
// hold until a law or a bank changes them. A day that is not listed counts as a day of publication:
// a missing holiday causes a false alarm, but a wrong one would hide a missed publication, and be
// taken for a proof that nothing was published. So a day is listed only if the publisher or a law
// names it, from the first year for which that is known; the recorded dates of
// test/rates/sources/publishers/fixtures/closed-days.txt have none of them. A publisher without an
// archive has no figures of the years before 2026 here, so that these are often left out.

/** TARGET's closing days: ecb.europa.eu, "TARGET calendar". The same in every year since 2002. */
export const targetHolidays = parseHolidays(`1999-:
  01-01, easter-2 2000-, easter+1 2000-, 05-01 2000-, 12-25, 12-26 2000-, 1999-12-31, 2001-12-31`);

/**
 * Public holidays by the Czech act 245/2000, on which the bank does not fix rates; Good Friday is
 * one since 2016 (act 359/2015).
 */
export const czechHolidays = parseHolidays(`2000-:
  01-01, easter-2 2016-, easter+1, 05-01, 05-08, 07-05, 07-06, 09-28, 10-28, 11-17, 12-24, 12-25,
  12-26`);

/** Days off work by the Polish act of 18 January 1951, and a day of mourning. */
export const polishHolidays = parseHolidays(`2002-:
  01-01, 01-06 2011-, easter+1, 05-01, 05-03, easter+60 (Corpus Christi), 08-15, 11-01, 11-11,
  12-24 2025-, 12-25, 12-26, 2005-04-08`);

/**
 * Norwegian public holidays, and Christmas Eve: norges-bank.no, "Settlement days" and "FAQ Exchange
 * rates" ("Exchange rates are not published on Christmas Eve"), which is known since 2019.
 */
export const norwegianHolidays = parseHolidays(`1999-:
  01-01, easter-3 (Maundy Thursday), easter-2, easter+1, 05-01, 05-17, easter+39,
  easter+50 (Whit Monday), 12-24 2019-, 12-25, 12-26`);

/**
 * riksbank.se, "Holidays 2026": public holidays by the Swedish act 1989:253, and the three eves
 * that the act 1930:173 puts on a level with them.
 */
export const swedishHolidays = parseHolidays(`1999-:
  01-01, 01-06, easter-2, easter+1, 05-01, easter+39, easter+50 (Whit Monday) -2004,
  06-06 (National Day) 2005-, 06-19 friday (Midsummer Eve), 12-24, 12-25, 12-26, 12-31`);

/** Public holidays by article 139 of the Romanian Labour Code, on which the bank sets no rates. */
export const romanianHolidays = parseHolidays(`2006-:
  01-01, 01-02, 01-06 2024-, 01-07 2024-, 01-24 2017-, orthodox-2 2018-, orthodox+1, 05-01,
  06-01 2017-, orthodox+50 (Whit Monday) 2009-, 08-15 2009-, 11-30 2012-, 12-01, 12-25, 12-26`);

/**
 * nationalbanken.dk, "Danmarks Nationalbank's exchange rates": "all weekdays, except for Danish
 * public holidays, the day after Ascension Day, 1 May, Constitution Day (5 June), 24 December and
 * 31 December".
 */
export const danishHolidays = parseHolidays(`2026-:
  01-01, easter-3 (Maundy Thursday), easter-2, easter+1, easter+26 (Store Bededag) -2023, easter+39,
  easter+40, easter+50 (Whit Monday), 05-01, 06-05, 12-24, 12-25, 12-26, 12-31`);

/** Public holidays in Zurich that are ones in most of Switzerland too. */
export const swissHolidays = parseHolidays(
  "2000-: 01-01, easter-2, easter+1, easter+39, easter+50 (Whit Monday), 08-01, 12-25, 12-26",
);

/** Public holidays by the Icelandic act 88/1971, without the afternoons of 24 and 31 December. */
export const icelandicHolidays = parseHolidays(`2000-:
  01-01, easter-3 (Maundy Thursday), easter-2, easter+1, 04-19 thursday (First Day of Summer),
  easter+39, easter+50 (Whit Monday), 08-01 monday, 05-01, 06-17, 12-25, 12-26`);

/**
 * Holidays by § 102 of the Hungarian Labour Code, without the days off that a minister moves; the
 * Saturdays that are working days instead are listed for 2026.
 */
export const hungarianHolidays = parseHolidays(`2026:
  01-01, 03-15, easter-2, easter+1, 05-01, easter+50 (Whit Monday), 08-20, 10-23, 11-01, 12-24,
  12-25, 12-26, 2026-01-10 open, 2026-08-08 open, 2026-12-12 open`);
