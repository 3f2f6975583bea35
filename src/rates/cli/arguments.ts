import { type AssetSymbol, type Pair, parseSymbol } from "../rules/symbol.ts";
import { CommandError } from "../../cli/command.ts";

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
