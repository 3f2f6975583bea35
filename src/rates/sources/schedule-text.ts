import type { Calendar } from "./schedule.ts";

const endings: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" };

/** Describes a calendar to a person: `16:05 on working days, Europe/Berlin`. */
export function describeSchedule(calendar: Calendar): string {
  if (!("cron" in calendar)) return `every ${calendar.everySeconds} seconds`;
  const { cron, timeZone } = calendar;
  const [minute = "", hour = "", day = "*", month = "*", weekday = "*"] = cron.split(" ");
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  return `${time} ${daysOf(day, month, weekday)}, ${timeZone}`;
}

/** @throws for a pattern that no publisher of the catalogue has. */
function daysOf(day: string, month: string, weekday: string): string {
  if (day === "*" && month === "*" && weekday === "1-5") return "on working days";
  if (/^\d+$/.test(day) && /^[\d,]+$/.test(month) && weekday === "*") {
    const monthNames = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });
    const names = month
      .split(",")
      .map((text) => monthNames.format(Date.UTC(2026, Number(text) - 1)));
    const kind = new Intl.PluralRules("en", { type: "ordinal" }).select(Number(day));
    const all = new Intl.ListFormat("en").format(names);
    return `on the ${day}${endings[kind] ?? "th"} of ${all}`;
  }
  throw new Error(`no words are known for the days of the schedule ${day} ${month} ${weekday}`);
}
