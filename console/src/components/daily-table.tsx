import type { DailyUnits } from "../daily-units.ts";
import { formatDay, formatUnits } from "../format.ts";
import { Scroll } from "./scroll.tsx";

/** The chart's data as text. */
export function DailyTable({ units: { days, series } }: { readonly units: DailyUnits }) {
  const rows = days.flatMap((day, index) =>
    series
      .map((key) => ({ day, name: key.name, units: key.units[index] ?? 0 }))
      .filter((row) => row.units > 0),
  );
  return (
    <Scroll name="Units per day as a table">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">Key</th>
            <th scope="col" class="number">
              Units
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.reverse().map(({ day, name, units }) => (
            <tr key={`${day} ${name}`}>
              <td class="no-break">{formatDay(day)}</td>
              <td>{name}</td>
              <td class="number">{formatUnits(units)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
