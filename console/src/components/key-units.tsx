import type { DailyUnits } from "../daily-units.ts";
import { countUnits, formatRatio, formatUnits } from "../format.ts";
import { Scroll } from "./scroll.tsx";

/** Further keys are one row. */
const ROWS_MAX = 100;

interface KeyUnitsProps {
  readonly units: DailyUnits;
  /** The index of the day whose units are shown; undefined for the whole range. */
  readonly day: number | undefined;
}

/** The units of each key, and the colour of its part of the bars. */
export function KeyUnitsTable({ units: { keys, total }, day }: KeyUnitsProps) {
  const unitsOf = (key: DailyUnits["keys"][number]) =>
    day === undefined ? key.total : (key.units[day] ?? 0);
  const unitsOfAll = day === undefined ? total : keys.reduce((sum, key) => sum + unitsOf(key), 0);
  const rest = keys.slice(ROWS_MAX);
  return (
    <Scroll name="Units per key">
      <table class="table key-units">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col" class="number">
              Units
            </th>
            <th scope="col" class="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.slice(0, ROWS_MAX).map((key) => (
            <tr key={key.id}>
              <td>
                <svg class={`swatch series-${key.colour}`} aria-hidden="true">
                  <rect width="100%" height="100%" />
                </svg>
                <span class="key-units-name">{key.name}</span>{" "}
                {key.prefix === undefined ? null : <code class="key-prefix">{key.prefix}…</code>}
              </td>
              <td class="number">{formatUnits(unitsOf(key))}</td>
              <td class="number">
                {formatRatio(unitsOfAll === 0 ? 0 : unitsOf(key) / unitsOfAll)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest.length === 0 ? null : (
        <p class="aside">
          {formatUnits(rest.length)} further keys with{" "}
          {countUnits(rest.reduce((sum, key) => sum + unitsOf(key), 0))} are in the CSV file.
        </p>
      )}
    </Scroll>
  );
}
