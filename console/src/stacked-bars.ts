import "uplot/dist/uPlot.min.css";
import type uPlot from "uplot";
import type { DailyUnits } from "./daily-units.ts";
import { formatUnits } from "./format.ts";
import { type EvenShare, isEvenShown } from "./quota.ts";

const BAR_SHARE = 0.72;
const BAR_PX_MAX = 36;
/** Above the tallest bar. */
const HEADROOM = 1.12;
const FONT = "12px system-ui, sans-serif";

const compact = new Intl.NumberFormat("en", { notation: "compact" });

const shortDay = new Intl.DateTimeFormat("en-GB", {
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});

interface Shown {
  readonly units: DailyUnits;
  /** Drawn as a dashed line over the days of the period, where it has a place. */
  readonly even: EvenShare;
  readonly onPoint: (index: number | undefined) => void;
}

/**
 * The options and data of uPlot for stacked bars. It draws every series from zero, so each one
 * includes the sum of those below it, and the tallest is drawn first.
 */
export function stackedBars(
  Plot: typeof uPlot,
  place: HTMLElement,
  { units: { days, series }, even, onPoint }: Shown,
): { readonly options: Omit<uPlot.Options, "width" | "height">; readonly data: uPlot.AlignedData } {
  const colourOf = (name: string) => computedColour(place, name);
  const bars = Plot.paths.bars?.({ size: [BAR_SHARE, BAR_PX_MAX] });
  const sums = days.map(() => 0);
  const stacked = series.map((key) => ({
    heights: key.units.map((units, day) => {
      const height = (sums[day] ?? 0) + units;
      sums[day] = height;
      return height;
    }),
    colour: colourOf(`series-${key.colour}`),
  }));
  stacked.reverse();

  const firstOfPeriod = days.findIndex((day) => day >= even.firstDay);
  const isLined = firstOfPeriod >= 0 && isEvenShown(even, { days, series });
  const line = isLined ? even.perDay : undefined;
  const axis = { stroke: colourOf("muted"), font: FONT, ticks: { show: false } };
  const options: Omit<uPlot.Options, "width" | "height"> = {
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false }, points: { show: false } },
    // On the right, half of the last day's label.
    padding: [8, 24, 0, 0],
    scales: {
      // Half a day on both sides, for the halves of the outermost bars.
      x: { time: false, range: (_, min, max) => [min - 0.5, max + 0.5] },
      y: { range: (_, _min, max) => [0, Math.max(max, line ?? 0, 1) * HEADROOM] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        incrs: days.length > 7 ? [7, 14, 28] : [1, 2, 3],
        space: 56,
        values: (_, splits) => splits.map((index) => labelOf(days[index])),
      },
      {
        ...axis,
        size: 44,
        grid: { stroke: colourOf("line"), width: 1 },
        incrs: wholeSteps(),
        values: (_, splits) =>
          splits.map((units) => (units < 10_000 ? formatUnits(units) : compact.format(units))),
      },
    ],
    series: [
      {},
      ...stacked.map(({ colour }) => ({
        fill: colour,
        width: 0,
        ...(bars && { paths: bars }),
        points: { show: false },
      })),
    ],
    hooks: {
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
      draw: [(plot) => line !== undefined && drawLine(plot, line, firstOfPeriod, axis.stroke)],
    },
  };
  return { options, data: [days.map((_, index) => index), ...stacked.map((key) => key.heights)] };
}

/** A canvas needs the colour itself, not the custom property that depends on the theme. */
function computedColour(place: HTMLElement, name: string): string {
  place.style.color = `var(--${name})`;
  const { color } = getComputedStyle(place);
  place.style.color = "";
  return color;
}

/** @param from the index of the first day that the line is for. */
function drawLine(
  { ctx, bbox, valToPos }: uPlot,
  units: number,
  from: number,
  colour: string,
): void {
  const y = Math.round(valToPos(units, "y", true));
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(valToPos(from - 0.5, "x", true), y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

function labelOf(day: string | undefined): string {
  return day === undefined ? "" : shortDay.format(new Date(day));
}

/** 1, 2, 5, 10, 20, …: units are integers. */
function wholeSteps(): number[] {
  const powers = Array.from({ length: 12 }, (_, power) => 10 ** power);
  return powers.flatMap((power) => [power, 2 * power, 5 * power]);
}
