import type { AuditStore } from "../../audit/store.ts";
import { CommandError, type CommandIo, type OpenStore } from "../../cli/command.ts";
import type { OpenedFile } from "../../cli/input-file.ts";
import type { DocumentReader } from "../../provenance/document-reader.ts";
import type { ObservationReads } from "../../provenance/observations.ts";
import type { Instant } from "../../shared/instant.ts";
import type { StoreStatus } from "../../shared/store.ts";
import { quoted } from "../../shared/text/visible-text.ts";
import type { RateLineReader, RateSource } from "../../sources/source.ts";
import type { HeadersOf } from "../headers.ts";
import type { HistoryStore, PackContent } from "../history.ts";
import { type AssetSymbol, type Pair, pairName, parseSymbol } from "../rules/symbol.ts";
import type { RateSettings } from "../rules/update-policy.ts";
import type { SigningKey, SigningKeyStore } from "../signing-key.ts";
import type { RateStore, SourceStore } from "../store.ts";

/** Parses a symbol argument. @throws {CommandError} it is invalid. */
export function symbolOf(argument: "base" | "quote", text: string): AssetSymbol {
  const symbol = parseSymbol(text);
  if (symbol !== undefined) return symbol;
  const rule = "want 2 to 10 letters A-Z or digits, such as EUR";
  throw new CommandError(`${argument} ${quoted(text)}: ${rule}`, 2);
}

/** Parses the arguments of a pair. @throws {CommandError} one is invalid. */
export function pairOf(base: string, quote: string): Pair {
  return { base: symbolOf("base", base), quote: symbolOf("quote", quote) };
}

/** The failure of a command whose pair has no stored rate. */
export function notStored(pair: Pair): CommandError {
  return new CommandError(`there is no stored rate for ${pairName(pair)}: see kurs rates list`);
}

/** An instant without the fraction of its second if that is zero, for tables. */
export function shortAsOf({ asOf }: { readonly asOf: Instant }): string {
  return asOf.replace(".000000000", "");
}

/** The dependencies of the rate commands. */
export interface RateCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{
    readonly rates: RateStore;
    readonly sources: SourceStore;
    readonly history: HistoryStore & ObservationReads;
    readonly signingKeys: SigningKeyStore;
    readonly status: StoreStatus;
    readonly audit: AuditStore;
  }>;
  /** The part of the configuration that these commands use. @throws {ConfigError} */
  readonly settings: () => RateSettings & { readonly signingKey: SigningKey | undefined };
  /** Computes the headers of the rates that a command stores. */
  readonly headersOf: HeadersOf;
  readonly packContent: PackContent;
  readonly documents: DocumentReader;
  /** The sources of these keys, in this order. */
  readonly sourcesOf: (keys: readonly string[]) => readonly RateSource[];
  /** The keys of all sources. */
  readonly sourceKeys: readonly string[];
  /** Opens a file, or stdin for `-`; its size is known for a file only. @throws as Node does. */
  readonly openFile: (path: string) => OpenedFile;
  readonly readRateFile: RateLineReader;
}
