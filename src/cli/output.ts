import { DAY_MS, HOUR_MS } from "../shared/clock.ts";
import { visibleLine } from "../shared/visible-text.ts";

/** A column: its heading and its alignment. */
export interface Column {
  readonly heading: string;
  readonly align?: "left" | "right";
}

/** Lays rows out in columns two spaces apart, under their headings. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map(({ heading }) => heading), ...rows].map((texts) =>
    texts.map(visibleLine),
  );
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, line[index]?.length ?? 0), 0),
  );
  return lines.map((line) => lineOf(columns, widths, line)).join("\n");
}

function lineOf(
  columns: readonly Column[],
  widths: readonly number[],
  texts: readonly string[],
): string {
  return texts
    .map((text, index) => {
      const width = widths[index] ?? 0;
      return columns[index]?.align === "right" ? text.padStart(width) : text.padEnd(width);
    })
    .join("  ")
    .trimEnd();
}

const MINUTE_MS = 60_000;

/** @returns how long ago an RFC 3339 time was, in its largest whole unit: `3 h`, `250 d`. */
export function ageOf(time: string, nowMs: number): string {
  const age = Math.max(nowMs - Date.parse(time), 0);
  if (age >= 2 * DAY_MS) return `${Math.floor(age / DAY_MS)} d`;
  if (age >= 2 * HOUR_MS) return `${Math.floor(age / HOUR_MS)} h`;
  if (age >= 2 * MINUTE_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  return `${Math.floor(age / 1000)} s`;
}

const BAR_CHARACTERS = 30;

/** @param part the completed part, from 0 to 1. */
export function progressBar(part: number): string {
  const full = Math.round(part * BAR_CHARACTERS);
  const bar = "█".repeat(full) + "░".repeat(BAR_CHARACTERS - full);
  return `${bar} ${Math.floor(part * 100)} %`;
}
