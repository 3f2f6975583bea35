import "./tab.ts";
import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { mock, test } from "node:test";
import { dailyUnits, ofKey } from "../../../console/src/daily-units.ts";
import { isEvenShown } from "../../../console/src/quota.ts";

// The units of an account by day, and what the chart of them is made of.

const NOW = "2026-11-21T12:00:00.000Z";
mock.timers.enable({ apis: ["Date"], now: Date.parse(NOW) });

// A bundler takes the styles out of the module.
registerHooks({
  load: (url, context, next) =>
    url.endsWith(".css")
      ? { format: "module", source: "", shortCircuit: true }
      : next(url, context),
});
const { stackedBars } = await import("../../../console/src/stacked-bars.ts");

const apiKeys = Array.from({ length: 10 }, (_, index) => {
  return { id: `${index}`, name: `key ${index}`, key_prefix: `svc_${index}`, created_at: NOW };
});

test("units by day have every day of the range, and the least used keys share a colour", () => {
  const all = dailyUnits(
    [
      ...apiKeys.map(({ id }, index) => ({
        date: "2026-11-20",
        api_key_id: id,
        units: 10 - index,
      })),
      { date: "2026-11-15", api_key_id: "9", units: 20 },
      { date: "2026-11-14", api_key_id: "8", units: 99 },
      { date: "2026-11-21", api_key_id: "new", units: 1 },
    ],
    apiKeys,
    7,
  );
  assert.deepEqual([all.days.length, all.days[0], all.days[6]], [7, "2026-11-15", "2026-11-21"]);
  assert.deepEqual([all.total, all.keys.length, all.series.length], [76, 11, 8]);
  assert.deepEqual([all.keys[0]?.name, all.keys[0]?.units], ["key 9", [20, 0, 0, 0, 0, 1, 0]]);
  assert.deepEqual([all.keys[10]?.name, all.keys[10]?.prefix], ["new", undefined]);
  const { name, colour, units } = all.series[7] ?? {};
  assert.deepEqual([name, colour, units], ["4 other keys", 8, [0, 0, 0, 0, 0, 9, 1]]);
  assert.equal(ofKey(all, "0").total, 10);
  // The tallest bar has 55 units: the line has a place up to twice that, and from one unit on.
  const lines = [0.9, 1, 110, 110.1].map((perDay) => isEvenShown({ perDay, firstDay: "" }, all));
  assert.deepEqual(lines, [false, true, true, false]);
});

/** A chart of a week in which two keys have units on its last two days. */
function chartOf(perDay: number) {
  const place = { style: { color: "" } };
  Object.assign(globalThis, { getComputedStyle: () => ({ ...place.style }), devicePixelRatio: 2 });
  const rows = [
    { date: "2026-11-20", api_key_id: "1", units: 20 },
    { date: "2026-11-20", api_key_id: "2", units: 5 },
    { date: "2026-11-21", api_key_id: "2", units: 3 },
  ];
  const points: unknown[] = [];
  const { options, data } = stackedBars({ paths: {} } as never, place as never, {
    units: dailyUnits(rows, apiKeys, 7),
    even: { perDay, firstDay: "2026-11-18" },
    onPoint: (index) => points.push(index),
  });
  return { options: options as unknown as Options, data, points };
}

/** What the test uses of uPlot's options, as functions. */
interface Options {
  readonly axes: readonly { readonly values: (plot: unknown, at: number[]) => string[] }[];
  readonly series: readonly { readonly fill?: string }[];
  readonly scales: { readonly y: { readonly range: (...range: unknown[]) => number[] } };
  readonly hooks: Readonly<Record<"draw" | "setCursor", readonly ((plot: object) => void)[]>>;
}

test("a chart has days of UTC, and bars that include those below them, the tallest first", () => {
  const { options, data, points } = chartOf(1);
  const labels = (axis: number, ...at: number[]) => options.axes[axis]?.values(undefined, at);
  assert.equal(new Date(NOW).getTimezoneOffset(), 300, "the process is not in New York");
  assert.deepEqual(labels(0, 0, 3, 6, 7), ["15 Nov", "18 Nov", "21 Nov", ""]);
  assert.deepEqual(labels(1, 0, 9999, 20_000, 3_000_000), ["0", "9,999", "20K", "3M"]);
  assert.deepEqual(data, [
    [0, 1, 2, 3, 4, 5, 6],
    [0, 0, 0, 0, 0, 25, 3],
    [0, 0, 0, 0, 0, 20, 0],
  ]);
  const colours = options.series.map(({ fill }) => fill);
  assert.deepEqual(colours, [undefined, "var(--series-2)", "var(--series-1)"]);
  for (const idx of [5, null]) options.hooks.setCursor[0]?.({ cursor: { idx } });
  assert.deepEqual(points, [5, undefined]);
});

test("the even share is a line from the period's first day on, unless it is far above the bars", () => {
  const draw = (perDay: number) => {
    const { options } = chartOf(perDay);
    const points: unknown[] = [];
    const note = (...point: readonly number[]) => points.push(point);
    const ignore = () => undefined;
    const ctx = { save: ignore, setLineDash: ignore, beginPath: ignore, stroke: ignore };
    const valToPos = (value: number, axis: string) => (axis === "x" ? 100 : 200) + value;
    options.hooks.draw[0]?.({
      ctx: { ...ctx, restore: ignore, moveTo: note, lineTo: note },
      bbox: { left: 100, width: 7 },
      valToPos,
    });
    return { points, top: options.scales.y.range(undefined, 0, 25)[1] ?? 0 };
  };
  const [near, far] = [draw(40), draw(400)];
  assert.deepEqual(near.points, [
    [102.5, 240],
    [107, 240],
  ]);
  assert.deepEqual(far.points, []);
  assert.ok(near.top > 40 && far.top > 25 && far.top < 40, "the place above the bars");
});
