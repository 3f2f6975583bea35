import { type Command, Option } from "commander";
import { CommandError, type OutputOptions } from "../../../platform/cli/command.ts";
import { parseDate, parsePastMoment } from "../../../platform/cli/dates.ts";
import { formatJson } from "../../../platform/cli/output.ts";
import { visibleLine } from "../../../platform/shared/text/visible-text.ts";
import { NEWEST } from "../../../rates/series/rules.ts";
import { requirePair, shortAsOf } from "../../../rates/served/cli/arguments.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import type { SourcedRate } from "../../../rates/served/rules/update-policy.ts";
import type { RateSource } from "../../../rates/sources/source.ts";
import { tracedFigureJson, traceJson } from "../json.ts";
import type { Observation } from "../observations.ts";
import { findServedAt, firstObservation, type HistoryUses } from "../served-at.ts";
import {
  type FigureOrigin,
  isContradicted,
  type StoryEntry,
  type Trace,
  type TracedFigure,
  traceFigure,
  traceObservation,
} from "../trace.ts";
import {
  askedSeries,
  isOfSeries,
  kindOption,
  noHistory,
  type ProvenanceCommandDeps,
  type SeriesOptions,
  sourceOption,
} from "./arguments.ts";
import { notKnown } from "./at.ts";
import type { ImportedLine } from "./imported-file.ts";
import { field, lineIn, linesOfOrigin, linesOfSource } from "./origin-lines.ts";
import { traceDocument } from "./trace-document.ts";

interface TraceOptions extends OutputOptions, SeriesOptions {
  readonly at?: string;
  readonly file?: string;
  readonly document?: string;
}

/** Adds `kurs rates trace`. */
export function traceCommand(
  rates: Command,
  deps: ProvenanceCommandDeps,
  setExitCode: (code: number) => void,
): void {
  const about = "show the document that a Rate-Document names, and what came from it";
  const documentOption = new Option("--document <digest>", about);
  rates
    .command("trace")
    .description("show the document and the line that a served figure came from, and what followed")
    .argument("[base]")
    .argument("[quote]")
    .option("--at <moment>", "the figure served then; a date means its end in UTC (default: now)")
    .addOption(sourceOption("the figure of this source, of --at's date or the last one before"))
    .addOption(kindOption())
    .option("--file <path>", "check that this imported file states the figure, and show its line")
    .addOption(documentOption.conflicts(["at", "source", "kind", "file"]))
    .option("--json", "print it as JSON")
    .addHelpText("after", traceExamples)
    .action(async (base: string | undefined, quote: string | undefined, options: TraceOptions) => {
      const { document, json = false } = options;
      if (document !== undefined && base === undefined) {
        return traceDocument(deps, document, undefined, json);
      }
      if (base === undefined || quote === undefined) {
        throw new CommandError("pass BASE and QUOTE, --document DIGEST, or both", 2);
      }
      const pair = requirePair(base, quote);
      if (document !== undefined) return traceDocument(deps, document, pair, json);
      const exitCode = isOfSeries(options)
        ? traceSeries(deps, pair, options)
        : trace(deps, pair, options);
      setExitCode(await exitCode);
    });
}

const traceExamples = `
Documents of publishers are stored, and the line is found in their bytes. Of an imported file Kurs
keeps the name, the SHA-256 and the number of the line: pass the file with --file. Exit code 1 when
the document or the line does not state the figure, or is missing or damaged.

Examples:
  $ kurs rates trace EUR USD
  $ kurs rates trace EUR USD --at 2026-03-13T15:30:00Z --json
  $ kurs rates trace EUR CZK --source cnb --at 2026-03-13
  $ kurs rates trace EUR ISK --file rates.csv
  $ kurs rates trace --document sha-256=:D9gwxxxZIOr/C9lpGa6f55F52H/DQN/X20cpM9gLpcs=:`;

async function trace(
  deps: ProvenanceCommandDeps,
  pair: Pair,
  options: TraceOptions,
): Promise<number> {
  const { openStore, clock, documents } = deps;
  const { at } = options;
  const moment = at === undefined ? undefined : parsePastMoment("--at", at, clock.nowMs());
  await using store = await openStore();
  const uses = { history: store.history, audit: store.audit, documents };
  const { observation, suspendedSince } = await (moment === undefined
    ? servedNow(uses, pair)
    : servedThen(uses, pair, moment));
  const traced = await traceObservation(uses, observation);
  return await show(deps, options, observation, traced.origin, {
    toJson: (publisher) => traceJson(traced, publisher, suspendedSince),
    toText: (publisher, line) => describeTrace(traced, publisher, { suspendedSince, line }),
  });
}

/** Shows where a figure of a series came from. @returns the exit code. */
async function traceSeries(
  deps: ProvenanceCommandDeps,
  pair: Pair,
  options: TraceOptions & { readonly source: string },
): Promise<number> {
  const { openStore, documents } = deps;
  const date = options.at === undefined ? NEWEST : parseDate("--at", options.at);
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
  return await show(deps, options, figure, traced.origin, {
    toJson: (publisher) => tracedFigureJson(traced, publisher),
    toText: (publisher, line) => describeTracedFigure(traced, publisher, line),
  });
}

/** @returns the exit code: 1 where the document or the line of a file does not state the figure. */
async function show(
  deps: ProvenanceCommandDeps,
  { file, json }: TraceOptions,
  figure: SourcedRate,
  origin: FigureOrigin,
  {
    toJson,
    toText,
  }: {
    readonly toJson: (publisher: RateSource | undefined) => object;
    readonly toText: (publisher: RateSource | undefined, line: ImportedLine | undefined) => string;
  },
): Promise<number> {
  const line = file === undefined ? undefined : await lineIn(file, figure, origin, deps);
  const [publisher] = deps.sourcesOf([figure.source]);
  if (json) {
    const ofFile = line && { file_line: line.text, file_states_figure: line.statesFigure };
    deps.print(formatJson({ ...toJson(publisher), ...ofFile }));
  } else deps.print(toText(publisher, line));
  return isContradicted({ origin }) || line?.statesFigure === false ? 1 : 0;
}

/** A figure, and since when its pair is not served. */
interface Figure {
  readonly observation: Observation;
  readonly suspendedSince: string | undefined;
}

async function servedNow({ history }: HistoryUses, pair: Pair): Promise<Figure> {
  const present = await history.present(pair);
  if (present === undefined) {
    if ((await firstObservation(history, pair)) === undefined) throw noHistory(pair);
    const hint = "kurs rates history has its rates, and --at traces one that was served";
    throw new CommandError(`${pairName(pair)} was deleted: ${hint}`);
  }
  const observation = await history.observation(pair, present.observation);
  if (observation !== undefined) return { observation, suspendedSince: present.suspendedAt };
  throw new CommandError(`${pairName(pair)} is served without a history: see kurs rates verify`);
}

async function servedThen(uses: HistoryUses, pair: Pair, at: string): Promise<Figure> {
  const served = await findServedAt(uses, pair, at);
  if (served.status === "unknown") throw notKnown(pair, at, served);
  const { status, observation, from } = served;
  if (status === "deleted") {
    throw new CommandError(`${pairName(pair)} was deleted at ${from}: no rate was served at ${at}`);
  }
  return { observation, suspendedSince: status === "suspended" ? from : undefined };
}

function describeTrace(
  { observation, origin, story, furtherEntries }: Trace,
  publisher: RateSource | undefined,
  about: { readonly suspendedSince: string | undefined; readonly line: ImportedLine | undefined },
): string {
  const { source, sequence, storedAt } = observation;
  const lines = [
    `${pairName(observation)} ${observation.rate} as of ${shortAsOf(observation)}`,
    ...linesOfSource(source, publisher),
  ];
  lines.push(field("stored", `${storedAt}, as number ${sequence} of ${pairName(observation)}`));
  if (about.suspendedSince !== undefined) {
    lines.push(field("suspended", `since ${about.suspendedSince}: reads get 503`));
  }
  lines.push(...linesOfOrigin(origin, about.line));
  if (story.length > 0) lines.push("what happened to the pair:", ...story.map(lineOfEntry));
  if (furtherEntries > 0) {
    const { base, quote } = observation;
    lines.push(`  and ${furtherEntries} more: kurs rates history ${base} ${quote}, kurs audit`);
  }
  return lines.join("\n");
}

function lineOfEntry(entry: StoryEntry): string {
  if ("observation" in entry) {
    const { rate, source } = entry.observation;
    return `  ${entry.at}  stored ${rate} as of ${shortAsOf(entry.observation)} from ${source}`;
  }
  const { action, actor, actorName, origin, details } = entry.event;
  const rate = details.rate === undefined ? "" : ` ${details.rate} as of ${details.as_of}`;
  const backup = details.taken_at === undefined ? "" : ` the backup of ${details.taken_at}`;
  const by = [actor, actorName, origin && `from ${origin}`].filter((part) => part).join(" ");
  return visibleLine(
    `  ${entry.at}  ${action.replace(/^(?:rate|store)\./, "")}${rate}${backup} by ${by}`,
  );
}

function describeTracedFigure(
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
