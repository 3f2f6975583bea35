import type { AuditStore } from "../../../platform/audit/store.ts";
import { CommandError, type CommandIo, type OpenStore } from "../../../platform/cli/command.ts";
import type { Instant } from "../../../platform/shared/instant.ts";
import { quoted } from "../../../platform/shared/text/visible-text.ts";
import type { HeadersOf } from "../headers.ts";
import { type AssetSymbol, type Pair, pairName, parseSymbol } from "../rules/symbol.ts";
import type { RateSettings, SourcedRate } from "../rules/update-policy.ts";
import type { SigningKey, SigningKeyStore } from "../signing-key.ts";
import type { RateStore } from "../store.ts";

/** Parses a symbol argument or option. @throws {CommandError} it is invalid. */
export function requireSymbol(argument: string, text: string): AssetSymbol {
  const symbol = parseSymbol(text);
  if (symbol !== undefined) return symbol;
  const rule = "must be 2 to 10 letters A-Z or digits, such as EUR";
  throw new CommandError(`${argument} ${quoted(text)}: ${rule}`, 2);
}

/** Parses the arguments of a pair. @throws {CommandError} one is invalid. */
export function requirePair(base: string, quote: string): Pair {
  return { base: requireSymbol("base", base), quote: requireSymbol("quote", quote) };
}

/**
 * @throws {CommandError} a key is no source's.
 * @throws {ConfigError} a setting is invalid, and the sources of SOURCES_FILE are not among these.
 */
export function requireKnown(
  keys: readonly string[],
  known: { readonly sourceKeys: readonly string[]; readonly settings: () => unknown },
): void {
  const { sourceKeys, settings } = known;
  const unknown = keys.filter((key) => !sourceKeys.includes(key));
  if (unknown.length === 0) return;
  settings();
  const meant = unknown.map((key) => key.toLowerCase());
  const advice = meant.every((key) => sourceKeys.includes(key))
    ? `: did you mean ${meant.join(", ")}?`
    : `; known sources: ${sourceKeys.join(", ")}`;
  throw new CommandError(`unknown source ${unknown.join(", ")}${advice}`, 2);
}

/** The failure of a command whose pair has no stored rate. */
export function notStored(pair: Pair): CommandError {
  return new CommandError(`there is no stored rate for ${pairName(pair)}: see kurs rates list`);
}

/** An instant without the fraction of its second if that is zero, for tables. */
export function shortAsOf({ asOf }: { readonly asOf: Instant }): string {
  return asOf.replace(".000000000", "");
}

/** A rate with its time and source, as messages show it. */
export function sourcedText(rate: SourcedRate): string {
  return `${rate.rate} as of ${shortAsOf(rate)} from ${rate.source}`;
}

/** The dependencies of the commands that store or change rates. */
export interface RateCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{
    readonly rates: RateStore;
    readonly signingKeys: SigningKeyStore;
    readonly audit: AuditStore;
  }>;
  /** The part of the configuration that these commands use. @throws {ConfigError} */
  readonly settings: () => RateSettings & { readonly signingKey: SigningKey | undefined };
  /** Computes the headers of the rates that a command stores. */
  readonly headersOf: HeadersOf;
}
