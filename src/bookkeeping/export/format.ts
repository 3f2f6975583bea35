import type { Decimal } from "../../platform/shared/decimal.ts";
import type { AssetSymbol, Pair } from "../../rates/served/rules/symbol.ts";
import type { ExportedFigure } from "./store.ts";

// What a file of `formats` is: how a bookkeeping program wants its rates. A format gets the
// figures in pages, and returns the text of each page, so that an export of any length needs the
// same memory.

/** What a format may need to know besides the figures. */
export interface FormatOptions {
  /** The currency in which the company keeps its accounts. */
  readonly companyCurrency: AssetSymbol | undefined;
}

/** A format of lines or records, by pair and then by date. */
export interface RecordFormat {
  readonly order: "by pair";
  /** Which pairs it can state, with the rule for a person; unset: all. */
  readonly limit?: PairLimit;
  readonly begin: (options: FormatOptions) => RecordWriter;
}

/** Pairs that a format cannot state are left out. */
export interface PairLimit {
  readonly includes: (pair: Pair, options: FormatOptions) => boolean;
  /** Completes "12 figures were left out: ". */
  readonly rule: string;
}

interface RecordWriter {
  /** The text before the first figure. */
  readonly head: string;
  readonly textOf: (page: readonly ExportedFigure[]) => string;
  /** The text after the last figure. */
  readonly end: () => string;
}

/** The base of the European Central Bank's figures. */
export const EURO = "EUR";

/** The rates of one date. */
interface RatesOfDay {
  readonly date: string;
  /** By their quotes. */
  readonly rates: ReadonlyMap<AssetSymbol, Decimal>;
}

/** A format of the European Central Bank: by date, the newest first, for one euro. */
export interface DayFormat {
  readonly order: "by date";
  /** @param quotes all of the export, in their order. */
  readonly begin: (quotes: readonly AssetSymbol[]) => DayWriter;
}

interface DayWriter {
  readonly head: string;
  readonly textOf: (day: RatesOfDay) => string;
  readonly tail: string;
}

export type Format = RecordFormat | DayFormat;

/** A format in which every figure has a line of its own. */
export const lineFormat = (
  lineOf: (figure: ExportedFigure) => string,
  rest: { readonly head?: string; readonly limit?: PairLimit } = {},
): RecordFormat => ({
  order: "by pair",
  ...(rest.limit && { limit: rest.limit }),
  begin: () => ({
    head: rest.head ?? "",
    textOf: (page) => page.map((figure) => `${lineOf(figure)}\n`).join(""),
    end: () => "",
  }),
});
