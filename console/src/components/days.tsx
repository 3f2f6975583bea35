import { useState } from "preact/hooks";
import { csvOf, type DailyUnits } from "../daily-units.ts";
import { countUnits, formatDay } from "../format.ts";
import { type EvenShare, isEvenShown } from "../quota.ts";
import { saveFile } from "../save-file.ts";
import { Button } from "./button.tsx";
import { DailyChart } from "./daily-chart.tsx";
import { KeyUnitsTable } from "./key-units.tsx";

interface DaysProps {
  readonly units: DailyUnits;
  readonly even: EvenShare;
}

/** The chart and the keys of a range of days; both show the day at the pointer. */
export function Days({ units, even }: DaysProps) {
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const { days, keys, total } = units;
  const first = days[0] ?? "";
  const last = days.at(-1) ?? "";
  const day = pointed === undefined ? undefined : days[pointed];
  const unitsOfDay = keys.reduce((sum, key) => sum + (key.units[pointed ?? 0] ?? 0), 0);
  return (
    <figure class="stack-close">
      <figcaption class="row-apart aside">
        <span>
          {day === undefined ? `${formatDay(first)} to ${formatDay(last)}` : formatDay(day)}
        </span>
        <span>{countUnits(day === undefined ? total : unitsOfDay)}</span>
      </figcaption>
      <DailyChart units={units} even={even} onPoint={setPointed} />
      {even.perDay < 1 ? null : (
        <p class="even">
          {isEvenShown(even, units) ? <span class="even-line" aria-hidden="true" /> : null}
          <span>
            With {countUnits(Math.floor(even.perDay))} a day the quota lasts until the end of the
            period.
          </span>
        </p>
      )}
      <KeyUnitsTable units={units} day={pointed} />
      <div class="row">
        <Button
          look="plain"
          isSmall
          onClick={() =>
            saveFile(`kurs-usage-${first}-to-${last}.csv`, "text/csv; charset=utf-8", csvOf(units))
          }
        >
          Download CSV
        </Button>
      </div>
    </figure>
  );
}
