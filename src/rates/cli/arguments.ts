import { CommandError } from "../../cli/command.ts";
import type { Decimal } from "../../shared/decimal.ts";
import { type AssetSymbol, type Pair, parseSymbol } from "../rules/symbol.ts";

/** Reads a symbol that was typed. @throws {CommandError} wrong use. */
export function symbolOf(argument: "base" | "quote", text: string): AssetSymbol {
  const symbol = parseSymbol(text);
  if (symbol !== undefined) return symbol;
  const rule = "want 2 to 10 letters A-Z or digits, such as EUR";
  throw new CommandError(`${argument} ${JSON.stringify(text)}: ${rule}`, 2);
}

/** Reads a pair that was typed. @throws {CommandError} wrong use. */
export function pairOf(base: string, quote: string): Pair {
  return { base: symbolOf("base", base), quote: symbolOf("quote", quote) };
}

export interface CommandSettings {
  /** Keys of the sources that are switched on, in order of precedence. */
  readonly rateSources: readonly string[];
  readonly maxRateJump: Decimal;
  /** Where PostgreSQL is, without a password; undefined: the store is embedded. */
  readonly databaseAddress: string | undefined;
}
