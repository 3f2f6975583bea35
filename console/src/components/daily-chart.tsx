import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import type { DailyUnits } from "../daily-units.ts";
import { formatDay, formatUnits } from "../format.ts";
import type { EvenShare } from "../quota.ts";
import { theme } from "../theme.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

interface DailyChartProps {
  readonly units: DailyUnits;
  /** Drawn as a line. */
  readonly even: EvenShare;
  readonly onPoint: (index: number | undefined) => void;
}

/** Units per day as bars, stacked by key; without its script, a way to load it again. */
export function DailyChart({ units, even, onPoint }: DailyChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  const chosen = theme.value;
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const drawing = draw(element, { units, even, onPoint }).catch(() => {
      setMissing(true);
      return () => undefined;
    });
    return () => void drawing.then((stop) => stop());
  }, [units, even.perDay, even.firstDay, chosen, isMissing]);

  if (isMissing) return <MissingChart />;
  const { days, total } = units;
  const range = `${formatDay(days[0] ?? "")} to ${formatDay(days.at(-1) ?? "")}`;
  const label = `Units per day from ${range}: ${formatUnits(total)} in all`;
  return <div class="chart" ref={place} role="img" aria-label={label} />;
}

/**
 * A proxy lost the script, a new version replaced it, or the browser has a locale that uPlot's
 * formats reject, such as `en-US@posix`.
 */
function MissingChart() {
  return (
    <Notice kind="warn">
      <p>The chart could not be loaded. The table has the totals, the CSV file every day.</p>
      <div>
        <Button look="plain" isSmall onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    </Notice>
  );
}

/** @returns a function that removes the chart. */
async function draw(element: HTMLElement, shown: DailyChartProps): Promise<() => void> {
  const [{ default: Plot }, { stackedBars }] = await Promise.all([
    import("uplot"),
    import("../stacked-bars.ts"),
  ]);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let plot: uPlot | undefined;
  const redraw = () => {
    plot?.destroy();
    const size = { width: element.clientWidth, height: element.clientHeight };
    const { options, data } = stackedBars(Plot, element, shown);
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
