import {
  fromEaster,
  GOOD_FRIDAY,
  type Holiday,
  mondayFrom,
  once,
  workdayFrom,
  yearly,
} from "../../rules/holidays.ts";

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

/**
 * Holidays by the Argentine law 27.399. Four of them move to a Monday, by rules that depend on the
 * weekday; they are listed for 2026.
 */
export const argentineHolidays: readonly Holiday[] = [
  fromEaster(-48), // Carnival
  fromEaster(-47),
  GOOD_FRIDAY,
  ...["01-01", "03-24", "04-02", "05-01", "05-25", "06-20", "07-09", "12-08", "12-25"].map(yearly),
  ...["2026-06-15", "2026-08-17", "2026-10-12", "2026-11-23"].map(once),
];

/** National holidays of Brazil, and those on which its banks are closed, too. */
export const brazilianHolidays: readonly Holiday[] = [
  yearly("01-01"),
  fromEaster(-48), // Carnival
  fromEaster(-47),
  GOOD_FRIDAY,
  ...["04-21", "05-01"].map(yearly),
  fromEaster(60), // Corpus Christi
  ...["09-07", "10-12", "11-02", "11-15", "11-20", "12-25"].map(yearly),
];

/** Days on which Mexican banks are closed, by the supervisor's yearly provisions. */
export const mexicanHolidays: readonly Holiday[] = [
  yearly("01-01"),
  mondayFrom("02-01"), // Constitution Day
  mondayFrom("03-15"), // Benito Juárez's birthday
  fromEaster(-3), // Maundy Thursday
  GOOD_FRIDAY,
  ...["05-01", "09-16", "11-02"].map(yearly),
  mondayFrom("11-15"), // Revolution Day
  ...["12-12", "12-25"].map(yearly),
];
