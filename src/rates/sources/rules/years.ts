/** Years, both included. */
export interface Years {
  readonly first: number;
  readonly last: number;
}

/** Reads `2025`, `2025-`, `-2023` or `2005-2023`. */
export function parseYears(text: string): Years {
  const [first = "", last = first] = text.split("-");
  return { first: Number.parseInt(first || "0", 10), last: Number.parseInt(last || "9999", 10) };
}
