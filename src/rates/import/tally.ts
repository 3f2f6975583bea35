import type { EndedCurrency } from "../served/rules/ended-currencies.ts";
import { knownSymbols } from "../served/rules/known-symbols.ts";
import type { Rate } from "../served/rules/rate.ts";
import type { AssetSymbol, Pair } from "../served/rules/symbol.ts";
import { endOfRate, type SourcedRate, type UpdateDecision } from "../served/rules/update-policy.ts";

/** Of further unknown symbols only the rates are counted, so that memory use is constant. */
const UNKNOWN_SYMBOLS_MAX = 20;

export interface ImportCounts {
  readonly stored: number;
  /** Those of the stored ones that went to their series alone: a newer rate is served. */
  readonly older: number;
  /** Equal to the stored rate, or to the last revision of their time in their series. */
  readonly unchanged: number;
  /** Held for the operator since they jumped or contradict each other: `kurs rates held`. */
  readonly held: number;
  readonly rejected: number;
  /** The first symbols of stored rates that are on no list of currencies. */
  readonly unknownSymbols: readonly AssetSymbol[];
  /** Rates that were stored with further such symbols. */
  readonly furtherUnknown: number;
}

/** Called during an import with the lines of the file that the operator should look at. */
export interface ImportReports {
  readonly onRejected: (line: number, reason: string) => void;
  readonly onHeld: (line: number, rate: Rate) => void;
  /** Another line has another rate for this pair and time: all of them are held. */
  readonly onContradiction: (line: number, rate: Rate) => void;
  /** The line was stored, and is the first with this symbol, which is on no list of currencies. */
  readonly onUnknownSymbol: (line: number, symbol: AssetSymbol) => void;
  /** The line was stored, and is the first with this currency after its end. */
  readonly onEnded: (line: number, ended: EndedCurrency) => void;
  /** A transaction has stored the rates of further lines. */
  readonly onStored?: (lines: number) => void;
}

export type LineDecision = UpdateDecision | "contradicts";

/** A valid rate of a file. */
export type ImportedRate = SourcedRate & { readonly line: number };

export type Tally = ReturnType<typeof createTally>;

/** Counts what became of the lines, and reports those that the operator should look at. */
export function createTally(reports: ImportReports) {
  const { onRejected, onHeld, onContradiction, onUnknownSymbol, onEnded } = reports;
  const count = { stored: 0, older: 0, unchanged: 0, held: 0, rejected: 0 };
  const unknown = findUnknown(onUnknownSymbol);
  const ended = new Set<string>();
  const checkEnd = (rate: ImportedRate) => {
    const end = endOfRate(rate);
    if (end === undefined || ended.has(end.symbol)) return;
    ended.add(end.symbol);
    onEnded(rate.line, end);
  };
  const reject = (line: number, reason: string) => {
    count.rejected += 1;
    onRejected(line, reason);
  };
  return {
    reject,
    add(rate: ImportedRate, decision: LineDecision): void {
      if (decision === "unchanged") count.unchanged += 1;
      else if (decision === "hold" || decision === "contradicts") {
        count.held += 1;
        (decision === "hold" ? onHeld : onContradiction)(rate.line, rate);
      } else {
        count.stored += 1;
        if (decision === "older") count.older += 1;
        unknown.check(rate.line, rate);
        checkEnd(rate);
      }
    },
    counts: (): ImportCounts => ({ ...count, ...unknown.found() }),
  };
}

/** Collects the symbols of stored rates that are on no list of currencies. */
function findUnknown(onUnknownSymbol: ImportReports["onUnknownSymbol"]) {
  const symbols = new Set<AssetSymbol>();
  let furtherUnknown = 0;
  const isNew = (symbol: AssetSymbol) => !knownSymbols.has(symbol) && !symbols.has(symbol);
  return {
    check(line: number, { base, quote }: Pair): void {
      let isFurther = false;
      for (const symbol of [base, quote]) {
        if (!isNew(symbol)) continue;
        if (symbols.size < UNKNOWN_SYMBOLS_MAX) {
          symbols.add(symbol);
          onUnknownSymbol(line, symbol);
        } else isFurther = true;
      }
      if (isFurther) furtherUnknown += 1;
    },
    found: () => ({ unknownSymbols: [...symbols], furtherUnknown }),
  };
}
