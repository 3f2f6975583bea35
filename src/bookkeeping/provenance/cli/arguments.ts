import { Option } from "commander";
import type { AuditStore } from "../../../platform/audit/store.ts";
import { CommandError, type CommandIo, type OpenStore } from "../../../platform/cli/command.ts";
import type { FileUses } from "../../../platform/cli/input-file.ts";
import { figureKinds, seriesOf, servedKindOf } from "../../../rates/series/cli/arguments.ts";
import type { Series, SeriesReads } from "../../../rates/series/store.ts";
import type { FigureKind } from "../../../rates/served/figures.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import type { RateLineReader, SourceLookup } from "../../../rates/sources/source.ts";
import type { DocumentReader } from "../document-reader.ts";
import type { ObservationReads } from "../observations.ts";

/** The part of the store that tells where rates came from. */
export interface ProvenanceStore {
  readonly history: ObservationReads;
  readonly series: SeriesReads;
  readonly audit: AuditStore;
}

/** The dependencies of the commands that tell where rates came from. */
export interface ProvenanceCommandDeps extends CommandIo, FileUses, SourceLookup {
  readonly openStore: OpenStore<ProvenanceStore>;
  readonly documents: DocumentReader;
  readonly readRateFile: RateLineReader;
}

/** Which of a pair's series a command asks for. */
export interface SeriesOptions {
  readonly source?: string;
  readonly kind?: FigureKind;
}

export const sourceOption = (description: string) =>
  new Option("--source <source>", `${description}; kurs rates list BASE QUOTE has the sources`);

export const kindOption = () =>
  new Option(
    "--kind <kind>",
    "with --source: which figures (default: the kind that is served)",
  ).choices(figureKinds);

/**
 * Whether a command asks for a series, not for what was served.
 *
 * @throws {CommandError} it names a kind alone.
 */
export function isOfSeries<Options extends SeriesOptions>(
  options: Options,
): options is Options & { readonly source: string } {
  if (options.source !== undefined) return true;
  if (options.kind === undefined) return false;
  throw new CommandError(`--kind ${options.kind}: pass --source, whose figures it selects`, 2);
}

/** Finds the series. @throws {CommandError} there is none. */
export function askedSeries(
  store: Pick<SeriesReads, "seriesOf">,
  pair: Pair,
  { source, kind }: SeriesOptions & { readonly source: string },
  { sourcesOf }: Pick<ProvenanceCommandDeps, "sourcesOf">,
): Promise<Series> {
  const served = servedKindOf(source, sourcesOf);
  return seriesOf(store, pair, source, { asked: kind, served });
}

/** The failure of a command whose pair was never stored. */
export function noHistory(pair: Pair): CommandError {
  return new CommandError(`there is no history of ${pairName(pair)}: see kurs rates list`);
}
