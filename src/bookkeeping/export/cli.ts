import { type Command, Option } from "commander";
import { CommandError, type CommandIo, type OpenStore } from "../../platform/cli/command.ts";
import { parseDates } from "../../platform/cli/dates.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { quoted } from "../../platform/shared/text/visible-text.ts";
import { figureKinds, servedKindOf } from "../../rates/series/cli/arguments.ts";
import { requireSymbol } from "../../rates/served/cli/arguments.ts";
import type { FigureKind } from "../../rates/served/figures.ts";
import { byPair, type Pair, pairName, parsePairName } from "../../rates/served/rules/symbol.ts";
import type { RateStore } from "../../rates/served/store.ts";
import type { SourceLookup } from "../../rates/sources/source.ts";
import { type ExportCounts, type ExportQuery, exportFigures } from "./export.ts";
import { EURO, type Format } from "./format.ts";
import { formats } from "./formats/all.ts";
import type { ExportReads, SelectedKinds } from "./store.ts";

/** The dependencies of the command that exports rates. */
export interface ExportCommandDeps extends CommandIo, SourceLookup {
  readonly openStore: OpenStore<{ readonly exports: ExportReads; readonly rates: RateStore }>;
}

interface ExportOptions {
  readonly format?: string;
  readonly source?: string;
  readonly kind?: FigureKind;
  readonly from?: string;
  readonly to?: string;
  /** In their order, each once. */
  readonly pair?: readonly Pair[];
  readonly companyCurrency?: string;
}

/** Adds `kurs rates export`. */
export function exportCommand(rates: Command, deps: ExportCommandDeps): void {
  rates
    .command("export")
    .description("write the stored figures for a bookkeeping program; charges nothing")
    .addOption(new Option("--format <format>", "for which program").choices(Object.keys(formats)))
    .option("--source <source>", "the figures of this source (default: of each pair's owner)")
    .addOption(
      new Option("--kind <kind>", "which figures (default: the kind that is served)").choices(
        figureKinds,
      ),
    )
    .option("--from <date>", "only figures of this publisher's date or a later one")
    .option("--to <date>", "only figures of this publisher's date or an earlier one")
    .option("--pair <pair>", "only this pair, such as EUR/USD; may be repeated", withPair)
    .option("--company-currency <symbol>", "with --format odoo: the currency of the company")
    .addHelpText("after", exportExamples)
    .action((options: ExportOptions) => writeExport(deps, options));
}

const exportExamples = `
It writes one figure for each pair and date to stdout: of an amended one the last revision, of
several times of a date the last. Figures that are held are left out; those of suspended pairs are
not. ecb-xml and ecb-csv have the pairs of base EUR. firefly, erpnext and odoo have the body of a
request on each line. kurs docs operating/exports has recipes.

Examples:
  $ kurs rates export --format beancount > rates.beancount
  $ kurs rates export --format hledger --pair EUR/USD --pair EUR/CHF --from 2026-01-01
  $ kurs rates export --format ecb-csv --source ecb > eurofxref-hist.csv
  $ kurs rates export --format odoo --company-currency EUR --from 2026-03-13`;

/** @throws {CommandError} the text is no pair. */
function withPair(text: string, others: readonly Pair[] = []): readonly Pair[] {
  const pair = parsePairName(text);
  if (pair === undefined || pair.base === pair.quote) {
    throw new CommandError(`--pair ${quoted(text)}: must be two symbols such as EUR/USD`, 2);
  }
  const isNew = !others.some((other) => pairName(other) === pairName(pair));
  return isNew ? [...others, pair].sort(byPair) : others;
}

async function writeExport(deps: ExportCommandDeps, options: ExportOptions): Promise<void> {
  const { openStore, write, printError } = deps;
  const format = selectFormat(options);
  const query = readQuery(options, deps);
  await using store = await openStore();
  const held = await store.rates.listHeld();
  const counts = await exportFigures(format, query, {
    store: { exports: store.exports, held },
    write,
  });
  for (const note of notesOn(counts, format, query.source)) printError(note);
}

/** @throws {CommandError} the options do not belong together. */
function selectFormat({ format: name, pair: pairs = [], companyCurrency }: ExportOptions): Format {
  const format = name === undefined ? undefined : formats[name];
  if (format === undefined) {
    throw new CommandError(
      `--format is missing: pass one of ${Object.keys(formats).join(", ")}`,
      2,
    );
  }
  const other = pairs.find(({ base }) => base !== EURO);
  if (format.order === "by date" && other !== undefined) {
    const rule = `${name} has figures of 1 EUR only: write EUR/…, or choose another --format`;
    throw new CommandError(`--pair ${pairName(other)}: ${rule}`, 2);
  }
  if ((name === "odoo") === (companyCurrency !== undefined)) return format;
  const wanted = "pass --company-currency and the currency of the company, such as EUR";
  if (name === "odoo") throw new CommandError(`--format odoo: ${wanted}`, 2);
  throw new CommandError(`--company-currency is for --format odoo: leave it out`, 2);
}

function readQuery(options: ExportOptions, deps: ExportCommandDeps): ExportQuery {
  const { source, pair: pairs = [], companyCurrency: currency } = options;
  const companyCurrency =
    currency === undefined ? undefined : requireSymbol("--company-currency", currency);
  return { source, ...selectKinds(options, deps), ...parseDates(options), pairs, companyCurrency };
}

/** The kind that is asked for or, without one, the one of each source that is served. */
function selectKinds({ kind, source }: ExportOptions, deps: ExportCommandDeps): SelectedKinds {
  const { sourcesOf, sourceKeys } = deps;
  if (kind !== undefined) return { kind, exceptions: [] };
  if (source !== undefined) return { kind: servedKindOf(source, sourcesOf), exceptions: [] };
  const exceptions = sourcesOf(sourceKeys).flatMap(({ key, servedKind }) =>
    servedKind === undefined || servedKind === "middle" ? [] : [[key, servedKind] as const],
  );
  return { kind: "middle", exceptions };
}

/** What the program that gets the export does not have: lines for stderr. */
function notesOn(
  { written, unstated, held, otherBases }: ExportCounts,
  format: Format,
  source: string | undefined,
): string[] {
  const notes = [];
  if (written === 0) {
    const owned = source === undefined ? "pass --source for another than each pair's owner; " : "";
    const advice = "kurs rates list BASE QUOTE shows the sources and kinds of a pair";
    const more = "kurs rates backfill fetches earlier figures";
    notes.push(`No figure that can be exported matches: ${owned}${advice}, ${more}.`);
  }
  if (unstated > 0 && format.order === "by pair") {
    notes.push(`${leftOut(unstated, "figure")}: ${format.limit?.rule}.`);
  }
  if (held > 0) notes.push(`${leftOut(held, "held figure")}: see kurs rates held.`);
  if (otherBases > 0) {
    notes.push(`${leftOut(otherBases, "pair")}: this layout has figures of 1 EUR only.`);
  }
  return notes;
}

const leftOut = (count: number, noun: string) =>
  `${counted(count, noun)} ${count === 1 ? "was" : "were"} left out`;
