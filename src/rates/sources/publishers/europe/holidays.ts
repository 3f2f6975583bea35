import {
  ASCENSION_DAY,
  EASTER_MONDAY,
  fridayFrom,
  fromEaster,
  fromOrthodoxEaster,
  GOOD_FRIDAY,
  type Holiday,
  mondayFrom,
  thursdayFrom,
  yearly,
} from "../../rules/holidays.ts";

// The days on which each publisher does not publish, as of 2026. Nearly all are rules, which hold
// until a law or a bank changes them. A day that is not listed counts as a day of publication: a
// missing holiday causes a false alarm, but a wrong one would hide a missed publication. So a day
// is listed only if the publisher or a law names it.

/** TARGET's closing days: ecb.europa.eu, "TARGET calendar". The same in every year since 2002. */
export const targetHolidays: readonly Holiday[] = [
  yearly("01-01"),
  GOOD_FRIDAY,
  EASTER_MONDAY,
  ...["05-01", "12-25", "12-26"].map(yearly),
];

/** Public holidays by the Czech act 245/2000, on which the bank does not fix rates. */
export const czechHolidays: readonly Holiday[] = [
  yearly("01-01"),
  GOOD_FRIDAY,
  EASTER_MONDAY,
  ...["05-01", "05-08", "07-05", "07-06", "09-28", "10-28", "11-17"].map(yearly),
  ...["12-24", "12-25", "12-26"].map(yearly),
];

/** Days off work by the Polish act of 18 January 1951; 24 December is one since 2025. */
export const polishHolidays: readonly Holiday[] = [
  ...["01-01", "01-06"].map(yearly),
  EASTER_MONDAY,
  ...["05-01", "05-03"].map(yearly),
  fromEaster(60), // Corpus Christi
  ...["08-15", "11-01", "11-11", "12-24", "12-25", "12-26"].map(yearly),
];

/**
 * Norwegian public holidays, and Christmas Eve: norges-bank.no, "Settlement days" and "FAQ Exchange
 * rates" ("Exchange rates are not published on Christmas Eve").
 */
export const norwegianHolidays: readonly Holiday[] = [
  yearly("01-01"),
  fromEaster(-3), // Maundy Thursday
  GOOD_FRIDAY,
  EASTER_MONDAY,
  ...["05-01", "05-17"].map(yearly),
  ASCENSION_DAY,
  fromEaster(50), // Whit Monday
  ...["12-24", "12-25", "12-26"].map(yearly),
];

/** riksbank.se, "Holidays 2026": public holidays and three eves. */
export const swedishHolidays: readonly Holiday[] = [
  ...["01-01", "01-06"].map(yearly),
  GOOD_FRIDAY,
  EASTER_MONDAY,
  yearly("05-01"),
  ASCENSION_DAY,
  yearly("06-06"),
  fridayFrom("06-19"), // Midsummer Eve
  ...["12-24", "12-25", "12-26", "12-31"].map(yearly),
];

/** Public holidays by article 139 of the Romanian Labour Code, on which the bank sets no rates. */
export const romanianHolidays: readonly Holiday[] = [
  ...["01-01", "01-02", "01-06", "01-07", "01-24"].map(yearly),
  fromOrthodoxEaster(-2),
  fromOrthodoxEaster(1),
  ...["05-01", "06-01"].map(yearly),
  fromOrthodoxEaster(50), // Whit Monday
  ...["08-15", "11-30", "12-01", "12-25", "12-26"].map(yearly),
];

/**
 * nationalbanken.dk, "Danmarks Nationalbank's exchange rates": "all weekdays, except for Danish
 * public holidays, the day after Ascension Day, 1 May, Constitution Day (5 June), 24 December and
 * 31 December". Store Bededag is no public holiday since 2024.
 */
export const danishHolidays: readonly Holiday[] = [
  yearly("01-01"),
  fromEaster(-3), // Maundy Thursday
  GOOD_FRIDAY,
  EASTER_MONDAY,
  ASCENSION_DAY,
  fromEaster(40),
  fromEaster(50), // Whit Monday
  ...["05-01", "06-05", "12-24", "12-25", "12-26", "12-31"].map(yearly),
];

/** Public holidays in Zurich that are ones in most of Switzerland too. */
export const swissHolidays: readonly Holiday[] = [
  yearly("01-01"),
  GOOD_FRIDAY,
  EASTER_MONDAY,
  ASCENSION_DAY,
  fromEaster(50), // Whit Monday
  ...["08-01", "12-25", "12-26"].map(yearly),
];

/** Public holidays by the Icelandic act 88/1971, without the afternoons of 24 and 31 December. */
export const icelandicHolidays: readonly Holiday[] = [
  yearly("01-01"),
  fromEaster(-3), // Maundy Thursday
  GOOD_FRIDAY,
  EASTER_MONDAY,
  thursdayFrom("04-19"), // First Day of Summer
  ASCENSION_DAY,
  fromEaster(50), // Whit Monday
  mondayFrom("08-01"),
  ...["05-01", "06-17", "12-25", "12-26"].map(yearly),
];

/** Holidays by § 102 of the Hungarian Labour Code, without the days off that a minister moves. */
export const hungarianHolidays: readonly Holiday[] = [
  ...["01-01", "03-15"].map(yearly),
  GOOD_FRIDAY,
  EASTER_MONDAY,
  yearly("05-01"),
  fromEaster(50), // Whit Monday
  ...["08-20", "10-23", "11-01", "12-24", "12-25", "12-26"].map(yearly),
];
