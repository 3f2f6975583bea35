import { Cron } from "croner";
import type { PublicationCalendar } from "../publishers/publisher.ts";
import { type Holiday, isHoliday } from "../rules/holidays.ts";
import type { Schedule } from "../source.ts";

const HALF_DAY_HOURS = 12;

/**
 * Tells which dates have figures. A publication's figures have the date whose time of day is
 * nearest: those that the Bank of Russia publishes at 18:00, for 00:00, are dated on the next day.
 *
 * @param timeOfDay that a date means; unset: figures are dated on the day of their publication.
 * @returns undefined for tables of a month or a quarter.
 */
export function publicationTimes(
  { cron, timeZone }: Pick<PublicationCalendar, "cron" | "timeZone">,
  holidays: readonly Holiday[],
  timeOfDay: string | undefined,
): Schedule["publicationOf"] {
  const [, , dayOfMonth] = cron.split(" ");
  if (dayOfMonth !== "*") return undefined;
  const runs = new Cron(cron, { timezone: timeZone, paused: true });
  /** The first time of the pattern after another one. */
  const runAfter = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(
      runs.nextRun(new Date(ms))?.getTime() ?? 0,
    ).toZonedDateTimeISO(timeZone);
  const time = runAfter(0).toPlainTime();
  const hours =
    timeOfDay === undefined ? 0 : Temporal.PlainTime.from(timeOfDay).until(time).total("hours");
  const daysLater = hours > HALF_DAY_HOURS ? 1 : hours < -HALF_DAY_HOURS ? -1 : 0;

  return (date) => {
    const day = Temporal.PlainDate.from(date).subtract({ days: daysLater });
    if (isHoliday(day, holidays)) return undefined;
    const run = runAfter(day.toZonedDateTime(timeZone).epochMilliseconds - 1);
    return run.toPlainDate().equals(day) ? run.epochMilliseconds : undefined;
  };
}
