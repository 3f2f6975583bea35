import { type Holiday, mondayFrom, yearly } from "../../rules/holidays.ts";

/** The federal holidays of the United States on which the Fund is closed in every year. */
export const fundHolidays: readonly Holiday[] = [
  ...["01-01", "07-04", "12-25"].map(yearly),
  mondayFrom("01-15"), // Martin Luther King Day
  mondayFrom("02-15"), // Presidents' Day
  mondayFrom("05-25"), // Memorial Day
  mondayFrom("09-01"), // Labor Day
];
