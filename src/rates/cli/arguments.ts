import { CommandError, type CommandIo, type OpenStore } from "../../cli/command.ts";
import type { Decimal } from "../../shared/decimal.ts";
import type { StoreStatus } from "../../shared/store.ts";
import { type AssetSymbol, type Pair, parseSymbol } from "../rules/symbol.ts";
import type { RateLineReader, RateSource } from "../source.ts";
import type { RateStore, SourceStore } from "../store.ts";
import type { OpenedFile } from "./import-progress.ts";

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

/** What the commands of rates use of the outside world. */
export interface RateCommandUses extends CommandIo {
  readonly openStore: OpenStore<RateStore & SourceStore & StoreStatus>;
  /** The configuration as far as these commands go. @throws {ConfigError} */
  readonly settings: () => RateSettings;
  /** The sources of these keys, in this order. */
  readonly sourcesOf: (keys: readonly string[]) => readonly RateSource[];
  /** Every source that there is. */
  readonly sourceKeys: readonly string[];
  /** Opens a file, or stdin for `-`; its size is known for a file only. @throws as Node does. */
  readonly openFile: (path: string) => OpenedFile;
  readonly readRateFile: RateLineReader;
}

export interface RateSettings {
  /** Keys of the sources that are switched on, in order of precedence. */
  readonly rateSources: readonly string[];
  readonly maxRateJump: Decimal;
}
