import { EASTER_MONDAY, GOOD_FRIDAY, type Holiday, once, yearly } from "../../rules/holidays.ts";

/** By the Public Holidays Act 36 of 1994; after one on a Sunday, the Monday is one too. */
export const southAfricanHolidays: readonly Holiday[] = [
  ...["01-01", "03-21", "04-27", "05-01", "06-16", "08-09", "09-24", "12-16"].map(yearly),
  GOOD_FRIDAY,
  EASTER_MONDAY,
  ...["12-25", "12-26"].map(yearly),
  ...["2026-08-10", "2027-03-22", "2027-12-27"].map(once),
];
