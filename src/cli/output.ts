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
