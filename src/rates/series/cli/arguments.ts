import { CommandError, type OpenStore } from "../../../platform/cli/command.ts";
import { visibleLine } from "../../../platform/shared/text/visible-text.ts";
import type { RateCommandDeps } from "../../served/cli/arguments.ts";
import type { FigureKind } from "../../served/figures.ts";
import { type Pair, pairName } from "../../served/rules/symbol.ts";
import type { SigningKeyStore } from "../../served/signing-key.ts";
import type { RateStore } from "../../served/store.ts";
import type { SourceLookup } from "../../sources/source.ts";
import type { OwnerStore, Series, SeriesReads } from "../store.ts";

/** The dependencies of the commands on what each source has published of a pair. */
export interface SeriesCommandDeps extends Omit<RateCommandDeps, "openStore">, SourceLookup {
  readonly openStore: OpenStore<{
    readonly rates: RateStore;
    readonly series: SeriesReads & OwnerStore;
    readonly signingKeys: SigningKeyStore;
  }>;
}

/** The choices of an option `--kind`. */
export const figureKinds: readonly FigureKind[] = ["middle", "buying", "selling"];

/** The kind that reads of a source's pairs get; of an import, middle. */
export function servedKindOf(source: string, sourcesOf: SourceLookup["sourcesOf"]): FigureKind {
  return sourcesOf([source])[0]?.servedKind ?? "middle";
}

/** The failure of a command whose pair has no series. */
export function noSeries(pair: Pair): CommandError {
  return new CommandError(`no source has a figure of ${pairName(pair)}: see kurs rates list`);
}

/**
 * Finds the series of a source that a command asks for.
 *
 * @param kind what the command asks for; undefined: the one that is served.
 * @throws {CommandError} there is no such series.
 */
export async function seriesOf(
  store: Pick<SeriesReads, "seriesOf">,
  pair: Pair,
  source: string,
  kind: { readonly asked: FigureKind | undefined; readonly served: FigureKind },
): Promise<Series> {
  const ofPair = await store.seriesOf(pair);
  if (ofPair.length === 0) throw noSeries(pair);
  const ofSource = ofPair.filter((one) => one.source === source);
  const found = ofSource.find((one) => one.kind === (kind.asked ?? kind.served));
  if (found !== undefined) return found;
  const name = `${visibleLine(source)} has no`;
  const others = ofSource.map((one) => one.kind).join(" and ");
  if (others === "") {
    const { base, quote } = pair;
    const sources = `kurs rates list ${base} ${quote} shows those that have`;
    throw new CommandError(`${name} figure of ${pairName(pair)}: ${sources}`);
  }
  const wanted = kind.asked ?? kind.served;
  throw new CommandError(`${name} ${wanted} figure of ${pairName(pair)}: pass --kind ${others}`);
}
