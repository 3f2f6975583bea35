import { Option } from "commander";
import { CommandError } from "../../../platform/cli/command.ts";
import { parseDates } from "../../../platform/cli/dates.ts";
import { type ListOptions, writeList } from "../../../platform/cli/list-writer.ts";
import { type Column, shortHash } from "../../../platform/cli/output.ts";
import { pagesOf } from "../../../platform/shared/pages.ts";
import { figureKinds, seriesOf, servedKindOf } from "../../../rates/series/cli/arguments.ts";
import { figureJson } from "../../../rates/series/json.ts";
import type {
  FigureCursor,
  Series,
  SeriesReads,
  StoredFigure,
} from "../../../rates/series/store.ts";
import { shortAsOf } from "../../../rates/served/cli/arguments.ts";
import type { FigureKind } from "../../../rates/served/figures.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import type { ProvenanceCommandDeps } from "./dependencies.ts";

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

interface ShownSeries extends ListOptions, SeriesOptions {
  readonly source: string;
  readonly from?: string;
  readonly to?: string;
}

/** Shows a series by the publisher's dates, with its amendments. */
export async function showSeries(
  deps: ProvenanceCommandDeps,
  pair: Pair,
  options: ShownSeries,
): Promise<void> {
  const { openStore, write, printError } = deps;
  const range = parseDates(options);
  await using store = await openStore();
  const series = await askedSeries(store.series, pair, options, deps);
  const pages = pagesOf<StoredFigure, FigureCursor>(
    { date: "", asOf: "", revision: 0 },
    (after, limit) => store.series.figures(series, { ...range, after, limit }),
    (figure) => figure,
  );
  if (await writeList(pages, options, rowFormat, write)) {
    printError(`${series.source} has no figure of ${pairName(pair)} in this range of dates.`);
  }
}

const rowFormat = {
  columns: [
    ["DATE", ({ date }) => date],
    ["RATE", ({ rate }) => rate, "right"],
    ["AS OF", shortAsOf],
    ["REVISION", ({ revision }) => revision, "right"],
    ["STORED", ({ storedAt }) => storedAt],
    ["DOCUMENT", ({ hash }) => shortHash(hash)],
  ] as readonly Column<StoredFigure>[],
  csvColumns: [
    ...(["base", "quote", "rate", "as_of", "source", "kind", "date", "valid_until"] as const),
    ...(["revision", "stored_at", "document"] as const),
  ],
  toJson: figureJson,
} as const;
