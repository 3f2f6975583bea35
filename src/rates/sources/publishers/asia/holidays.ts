import { parseHolidays } from "../../rules/holidays.ts";

/**
 * Public holidays of New South Wales and that of its banks in August, the weekdays without rates in
 * the Reserve Bank of Australia's table of 2023 to 2026.
 */
export const sydneyHolidays = parseHolidays(`2023-:
  01-01 workday, 01-26 workday (Australia Day), easter-2, easter+1, 04-25 (Anzac Day),
  06-08 monday (King's Birthday), 08-01 monday, 10-01 monday (Labour Day), 12-25 workday,
  12-25 workday 2 (Boxing Day)`);

/** Mandatory holidays by Macao's Labour Relations Law of 2008, without lunar ones. */
export const macaoHolidays = parseHolidays("2009-: 01-01, 05-01, 10-01, 12-20");

/** Federal public holidays of Malaysia, without those of the Islamic and of lunar calendars. */
export const malaysianHolidays = parseHolidays(
  "2026-: 06-01 monday (the King's Birthday), 05-01, 08-31, 09-16, 12-25",
);
