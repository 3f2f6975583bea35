import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import type { DailyUnits } from "../daily-units.ts";
import { countUnits, formatDay, formatUnits } from "../format.ts";

/** Units per day as bars, stacked by key; the legend shows the units of the day at the pointer. */
export function DailyChart({ units }: { readonly units: DailyUnits }) {
  const place = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const drawing = draw(element, units, setPointed);
    return () => void drawing.then((stop) => stop());
  }, [units]);

  const { days, series, total } = units;
  const first = formatDay(days[0] ?? "");
  const last = formatDay(days.at(-1) ?? "");
  const day = pointed === undefined ? undefined : days[pointed];
  return (
    <figure class="stack-close">
      <figcaption class="row-apart aside">
        <span>{day === undefined ? `${first} to ${last}` : formatDay(day)}</span>
        <span>{countUnits(pointed === undefined ? total : unitsOfDay(units, pointed))}</span>
      </figcaption>
      <div
        class="chart"
        ref={place}
        role="img"
        aria-label={`Units per day from ${first} to ${last}: ${formatUnits(total)} in all`}
      />
      <ul class="legend" aria-label="Keys">
        {series.map((key) => (
          <li key={key.colour}>
            <svg class={`swatch series-${key.colour}`} aria-hidden="true">
              <rect width="100%" height="100%" />
            </svg>
            <span class="legend-name">{key.name}</span>
            <span class="legend-units">
              {formatUnits(pointed === undefined ? key.total : (key.units[pointed] ?? 0))}
            </span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function unitsOfDay({ series }: DailyUnits, index: number): number {
  return series.reduce((sum, key) => sum + (key.units[index] ?? 0), 0);
}

/** @returns a function that removes the chart. */
async function draw(
  element: HTMLElement,
  units: DailyUnits,
  onPoint: (index: number | undefined) => void,
): Promise<() => void> {
  const [{ default: Plot }, { stackedBars }] = await Promise.all([
    import("uplot"),
    import("../stacked-bars.ts"),
  ]);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let plot: uPlot | undefined;
  const redraw = () => {
    plot?.destroy();
    const size = { width: element.clientWidth, height: element.clientHeight };
    const { options, data } = stackedBars(Plot, units, onPoint);
    plot = new Plot({ ...options, ...size }, data, element);
  };
  redraw();
  const resized = new ResizeObserver(() =>
    plot?.setSize({ width: element.clientWidth, height: element.clientHeight }),
  );
  resized.observe(element);
  dark.addEventListener("change", redraw);
  return () => {
    dark.removeEventListener("change", redraw);
    resized.disconnect();
    plot?.destroy();
  };
}
