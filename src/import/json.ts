import type { ImportCounts } from "./import.ts";

export function importCountsJson(counts: ImportCounts) {
  const { stored, unchanged, held, rejected, unknownSymbols } = counts;
  return { stored, unchanged, held, rejected, unknown_symbols: unknownSymbols };
}
