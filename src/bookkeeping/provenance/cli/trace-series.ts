import { CommandError, type OutputOptions } from "../../../platform/cli/command.ts";
import { parseDate } from "../../../platform/cli/dates.ts";
import { formatJson } from "../../../platform/cli/output.ts";
import { NEWEST } from "../../../rates/series/rules.ts";
import { shortAsOf } from "../../../rates/served/cli/arguments.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import type { RateSource } from "../../../rates/sources/source.ts";
import { tracedFigureJson } from "../json.ts";
import { isContradicted, type TracedFigure, traceFigure } from "../trace.ts";
import type { ProvenanceCommandDeps } from "./dependencies.ts";
import type { ImportedLine } from "./imported-file.ts";
import { field, lineIn, linesOfOrigin, linesOfSource } from "./origin-lines.ts";
import { askedSeries, type SeriesOptions } from "./series.ts";

interface TraceSeriesOptions extends OutputOptions, SeriesOptions {
  readonly source: string;
  readonly at?: string;
  readonly file?: string;
}

/** Shows where a figure of a series came from. @returns the exit code. */
export async function traceSeries(
  deps: ProvenanceCommandDeps,
  pair: Pair,
  options: TraceSeriesOptions,
): Promise<number> {
  const { openStore, documents, sourcesOf, print } = deps;
  const { at, file, json } = options;
  const date = at === undefined ? NEWEST : parseDate("--at", at);
  await using store = await openStore();
  const series = await askedSeries(store.series, pair, options, deps);
  const figure = await store.series.figureOnOrBefore(series, date);
  if (figure === undefined) {
    const none = `${series.source} has no figure of ${pairName(pair)} on or before ${date}`;
    const { base, quote } = pair;
    const hint = `kurs rates history ${base} ${quote} --source ${series.source} has its dates`;
    throw new CommandError(`${none}: ${hint}`);
  }
  const traced = await traceFigure({ history: store.history, documents }, figure);
  const line = file === undefined ? undefined : await lineIn(file, figure, traced.origin, deps);
  const [publisher] = sourcesOf([figure.source]);
  if (json) {
    const ofFile = line && { file_line: line.text, file_states_figure: line.statesFigure };
    print(formatJson({ ...tracedFigureJson(traced, publisher), ...ofFile }));
  } else print(describe(traced, publisher, line));
  return isContradicted(traced) || line?.statesFigure === false ? 1 : 0;
}

function describe(
  { figure, origin }: TracedFigure,
  publisher: RateSource | undefined,
  line: ImportedLine | undefined,
): string {
  const { source, kind, date, validUntil, revision, storedAt } = figure;
  const validity = validUntil === undefined ? "" : `, valid until ${validUntil}`;
  const amended = revision === 1 ? "" : `, as revision ${revision}: it was amended`;
  return [
    `${pairName(figure)} ${figure.rate} as of ${shortAsOf(figure)}`,
    ...linesOfSource(source, publisher),
    field("series", `${kind} figure of ${date}${validity}`),
    field("stored", `${storedAt}${amended}`),
    ...linesOfOrigin(origin, line),
  ].join("\n");
}
