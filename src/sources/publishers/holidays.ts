import {
  fridayFrom,
  fromEaster,
  fromOrthodoxEaster,
  type Holiday,
  mondayFrom,
  once,
  workdayFrom,
  yearly,
} from "../rules/holidays.ts";

// The days on which each publisher does not publish, as of 2026. Nearly all are rules, which hold
// until a law or a bank changes them. A day that is not listed counts as a day of publication: a
// missing holiday causes a false alarm, but a wrong one would hide a missed publication. So a day
// is listed only if the publisher or a law names it.

const GOOD_FRIDAY = fromEaster(-2);
const EASTER_MONDAY = fromEaster(1);
const ASCENSION_DAY = fromEaster(39);

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

/** bankofcanada.ca, "Bank of Canada holiday schedule"; one at a weekend is kept after it. */
export const canadianHolidays: readonly Holiday[] = [
  workdayFrom("01-01"),
  mondayFrom("02-15"), // Family Day
  GOOD_FRIDAY,
  mondayFrom("05-18"), // Victoria Day
  workdayFrom("07-01"), // Canada Day
  mondayFrom("08-01"), // Civic Holiday
  mondayFrom("09-01"), // Labour Day
  workdayFrom("09-30"), // National Day for Truth and Reconciliation
  mondayFrom("10-08"), // Thanksgiving
  workdayFrom("11-11"), // Remembrance Day
  workdayFrom("12-25"),
  workdayFrom("12-25", 2), // Boxing Day
];

/**
 * Non-working holidays by article 112 of the Russian Labour Code. The days to which the government
 * moves days off differ each year; they are listed through 2026, by its decrees for 2025 and 2026
 * and that article.
 */
export const russianHolidays: readonly Holiday[] = [
  ...["01-01", "01-02", "01-03", "01-04", "01-05", "01-06", "01-07", "01-08"].map(yearly),
  ...["02-23", "03-08", "05-01", "05-09", "06-12", "11-04"].map(yearly),
  ...["2025-12-31", "2026-01-09", "2026-03-09", "2026-05-11", "2026-12-31"].map(once),
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

/** Holidays by the Georgian Labour Code. */
export const georgianHolidays: readonly Holiday[] = [
  ...["01-01", "01-02", "01-07", "01-19", "03-03", "03-08", "04-09"].map(yearly),
  fromOrthodoxEaster(-2),
  fromOrthodoxEaster(1),
  ...["05-09", "05-12", "05-26", "08-28", "10-14", "11-23"].map(yearly),
];

/**
 * Public holidays of New South Wales and that of its banks in August, the weekdays without rates in
 * the Reserve Bank of Australia's table of 2025 and 2026.
 */
export const sydneyHolidays: readonly Holiday[] = [
  workdayFrom("01-01"),
  workdayFrom("01-26"), // Australia Day
  GOOD_FRIDAY,
  EASTER_MONDAY,
  yearly("04-25"), // Anzac Day
  mondayFrom("06-08"), // King's Birthday
  mondayFrom("08-01"),
  mondayFrom("10-01"), // Labour Day
  workdayFrom("12-25"),
  workdayFrom("12-25", 2), // Boxing Day
];

/** Holidays by the Kyrgyz Labour Code, without those of the Islamic calendar. */
export const kyrgyzHolidays: readonly Holiday[] = [
  ...["01-01", "01-07", "02-23", "03-08", "03-21", "05-01", "05-05", "05-09"].map(yearly),
  ...["08-31", "11-07", "11-08"].map(yearly),
];

/** Holidays by the Colombian law 51 of 1983, which moves many to the next Monday. */
export const colombianHolidays: readonly Holiday[] = [
  ...["01-01", "05-01", "07-20", "08-07", "12-08", "12-25"].map(yearly),
  fromEaster(-3), // Maundy Thursday
  GOOD_FRIDAY,
  fromEaster(43), // Ascension Day
  fromEaster(64), // Corpus Christi
  fromEaster(71), // Sacred Heart
  ...["01-06", "03-19", "06-29", "08-15", "10-12", "11-01", "11-11"].map(mondayFrom),
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

/** Holidays by the Belarusian decree 157 of 1998 that are no working days. */
export const belarusianHolidays: readonly Holiday[] = [
  ...["01-01", "01-02", "01-07", "03-08"].map(yearly),
  fromOrthodoxEaster(9), // Radunitsa
  ...["05-01", "05-09", "07-03", "11-07", "12-25"].map(yearly),
];
