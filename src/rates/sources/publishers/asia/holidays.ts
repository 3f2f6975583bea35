import {
  EASTER_MONDAY,
  GOOD_FRIDAY,
  type Holiday,
  mondayFrom,
  workdayFrom,
  yearly,
} from "../../rules/holidays.ts";

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

/** Mandatory holidays by Macao's Labour Relations Law, without those of the lunar calendar. */
export const macaoHolidays: readonly Holiday[] = ["01-01", "05-01", "10-01", "12-20"].map(yearly);

/** Federal public holidays of Malaysia, without those of the Islamic and of lunar calendars. */
export const malaysianHolidays: readonly Holiday[] = [
  mondayFrom("06-01"), // the King's Birthday
  ...["05-01", "08-31", "09-16", "12-25"].map(yearly),
];
