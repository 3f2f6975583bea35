/** When a publisher publishes: at the times of a cron pattern in its time zone, or continuously. */
type Described =
  | { readonly cron: string; readonly timeZone: string }
  | { readonly everySeconds: number };

/** Describes a calendar to a person: `16:05 on working days, Europe/Berlin`. */
export function describeSchedule(calendar: Described): string {
  if (!("cron" in calendar)) return `every ${calendar.everySeconds} seconds`;
  const { cron, timeZone } = calendar;
  const [minute = "", hour = "", day = "*", month = "*", weekday = "*"] = cron.split(" ");
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  return `${time} ${daysOf(day, month, weekday)}, ${timeZone}`;
}

/** @throws for a pattern that no publisher of the catalogue has. */
function daysOf(day: string, month: string, weekday: string): string {
  if (day === "*" && month === "*" && weekday === "1-5") return "on working days";
  if (day === "*" && month === "*" && weekday === "*") return "every day";
  if (/^\d+$/.test(day) && month === "*" && weekday === "*") return `on the ${ordinal(day)}`;
  if (day === "*" && month === "*" && /^[0-6](-[0-6])?$/.test(weekday)) {
    // 1 March 2026 is a Sunday.
    const [first = "", last] = weekday.split("-").map((number) => {
      const date = Temporal.PlainDate.from(`2026-03-0${1 + Number.parseInt(number, 10)}`);
      return date.toLocaleString("en", { weekday: "long" });
    });
    return last === undefined ? `on ${first}s` : `on working days, ${first} to ${last}`;
  }
  if (/^\d+$/.test(day) && /^[\d,]+$/.test(month) && weekday === "*") {
    const names = month.split(",").map((number) => {
      const first = Temporal.PlainDate.from(`2026-${number.padStart(2, "0")}-01`);
      return first.toLocaleString("en", { month: "long" });
    });
    return `on the ${ordinal(day)} of ${new Intl.ListFormat("en").format(names)}`;
  }
  throw new Error(`no words are known for the days of the schedule ${day} ${month} ${weekday}`);
}

/** @param day of a month. */
function ordinal(day: string): string {
  if (/^2?1$|^31$/.test(day)) return `${day}st`;
  if (/^2?2$/.test(day)) return `${day}nd`;
  return `${day}${/^2?3$/.test(day) ? "rd" : "th"}`;
}
