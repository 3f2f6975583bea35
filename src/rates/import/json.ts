import type { ImportCounts } from "./tally.ts";

export function importCountsJson(counts: ImportCounts) {
  const { stored, older, unchanged, held, rejected, unknownSymbols } = counts;
  return { stored, older, unchanged, held, rejected, unknown_symbols: unknownSymbols };
}
