import { escaped } from "./escape.ts";

/** A bar: its name and value as the table has them. */
export interface Bar {
  readonly name: string;
  readonly value: string;
}

const WIDTH = 640;
const NAME_HEIGHT = 26;
const BAR_HEIGHT = 14;
const ROW_HEIGHT = 54;

/**
 * Draws horizontal bars, each below its name and value, so that long names fit a phone.
 *
 * @param title what they show, for a reader who does not see it.
 */
export function drawChart(title: string, bars: readonly Bar[]): string {
  const largest = Math.max(...bars.map(({ value }) => magnitudeOf(value)));
  const rows = bars.map(({ name, value }, index) => {
    const top = index * ROW_HEIGHT;
    const width = Math.max(1, Math.round((magnitudeOf(value) / largest) * WIDTH));
    const line = top + NAME_HEIGHT - 6;
    return (
      `<text class="chart-name" x="0" y="${line}">${escaped(name)}</text>` +
      `<rect class="chart-bar" x="0" y="${top + NAME_HEIGHT}" width="${width}" ` +
      `height="${BAR_HEIGHT}" rx="2"></rect>` +
      `<text class="chart-value" x="${WIDTH}" y="${line}" text-anchor="end">${escaped(value)}</text>`
    );
  });
  const label = `${title}: ${bars.map(({ name, value }) => `${name} ${value}`).join(", ")}`;
  const size = `viewBox="0 0 ${WIDTH} ${bars.length * ROW_HEIGHT}"`;
  return `<svg ${size} role="img" aria-label="${escaped(label)}">${rows.join("")}</svg>`;
}

/** @returns the number in a cell such as `92,526` or `0.62 ms`, NaN without one. */
export function magnitudeOf(value: string): number {
  return Number.parseFloat(value.replaceAll(",", ""));
}
