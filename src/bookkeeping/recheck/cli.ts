import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../platform/cli/command.ts";
import { writeList } from "../../platform/cli/list-writer.ts";
import { isDecimal, isZero, parseDecimal } from "../../platform/shared/decimal.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { quoted, visibleLine } from "../../platform/shared/text/visible-text.ts";
import { figureKinds, servedKindOf } from "../../rates/series/cli/arguments.ts";
import { figureJson } from "../../rates/series/json.ts";
import { NEWEST } from "../../rates/series/rules.ts";
import { requirePair } from "../../rates/served/cli/arguments.ts";
import { pairName } from "../../rates/served/rules/symbol.ts";
import type { ApplicableRateDeps } from "../applicable-rates/cli/arguments.ts";
import { linesWanted, requireDate, withList } from "../applicable-rates/cli/date-list.ts";
import { type ListForm, type ListLine, parseColumns } from "../applicable-rates/cli/list-lines.ts";
import { OWN_RATE } from "../applicable-rates/json.ts";
import type { ProvenanceStore } from "../provenance/cli/arguments.ts";
import { outcomes, type Rechecked, recheck, type UsedFigure } from "./recheck.ts";

type RecheckOptions = OutputOptions & { readonly columns?: string };

/** Adds `kurs rates recheck`. */
export function recheckCommand(
  rates: Command,
  deps: ApplicableRateDeps,
  setExitCode: (code: number) => void,
): void {
  rates
    .command("recheck")
    .description("show which booked figures were amended, contradicted or withdrawn since")
    .argument("<file>", "a list as CSV, or - for stdin")
    .option("--columns <columns>", 'what its columns are called: "date=Kursdatum,rate=Kurs"')
    .option("--json", "print every line as JSON")
    .addHelpText("after", recheckExamples)
    .action(async (file: string, options: RecheckOptions) =>
      setExitCode(await recheckList(deps, file, options)),
    );
}

const recheckExamples = `
The header names the columns date, base, quote and rate, and perhaps source and kind, in any order,
with commas or semicolons. The date is the publisher's own: "published_for" in a list of kurs rates
for. Without a source it is the one that owns the pair. A date may be 16.10.2024, a rate 1,1476. It
prints a line for each figure that is not unchanged, and exits with 1 if there is one:
  amended       the booked figure is an earlier revision
  held          it, or the publisher's new figure, is held until kurs rates release or drop decides
  contradicted  a document states several figures: they are held, or this one was dropped
  withdrawn     the operator dropped it where it was held, or deleted it
  differs       it is no revision of the figure for the date
  not stored    no figure is stored for the date
  not checked   the line cannot be read, or no source owns its pair

Examples:
  $ kurs rates recheck used.csv
  $ kurs rates recheck used.csv --columns "date=Kursdatum,rate=Kurs" --json
  $ kurs rates recheck used.csv > out.txt 2>&1 || mail -s changed ada@example.org < out.txt`;

const FORM: ListForm = {
  meanings: ["date", "base", "quote", "rate", "source", "kind", "published_for"],
  plain: [4, 6],
  columns: "date, base, quote and rate",
};

/** A line of the list, and what became of its figure. */
interface CheckedLine extends ListLine, Rechecked {
  /** Undefined where the line cannot be read. */
  readonly asked?: UsedFigure;
}

/** @returns the exit code: 1 where a figure is not unchanged. */
async function recheckList(
  deps: ApplicableRateDeps,
  path: string,
  { columns, json = false }: RecheckOptions,
): Promise<number> {
  const counts = new Map(outcomes.map((outcome) => [outcome, 0]));
  const find = async (store: ProvenanceStore, line: ListLine) => {
    const checked = await checkLine(store, deps, line);
    counts.set(checked.outcome, (counts.get(checked.outcome) ?? 0) + 1);
    return checked;
  };
  const list = { path, columns: parseColumns(columns, FORM), form: FORM, find };
  await withList(deps, list, async (_store, _header, pages) => {
    const format = { columns: [], csvColumns: [], toJson: lineJson };
    if (json) await writeList(pages, { format: "table", json }, format, deps.write);
    else for await (const page of pages) await deps.write(page.map(describe).join(""));
  });
  const lines = counts.values().reduce((sum, count) => sum + count, 0);
  if (lines === 0) throw new CommandError(`${path} has no line: ${linesWanted(FORM)}`);
  const some = [...counts].filter(([, count]) => count > 0);
  const summary = some.map(([outcome, count]) => `${count} ${outcome}`).join(", ");
  if (!json) deps.print(`${counted(lines, "figure")}: ${summary}`);
  return counts.get("unchanged") === lines ? 0 : 1;
}

async function checkLine(
  store: ProvenanceStore,
  deps: ApplicableRateDeps,
  line: ListLine,
): Promise<CheckedLine> {
  const { base, quote, rate } = line.cells;
  // As kurs rates for writes it where an amount is in the tax's own currency.
  if (!line.problem && base && base === quote && rate === OWN_RATE) {
    return { ...line, outcome: "unchanged", reason: "" };
  }
  try {
    const asked = await readUsed(store, deps, line);
    return { ...line, ...(await recheck(store, asked)), asked };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { ...line, outcome: "not checked", reason: error.message };
  }
}

/** Reads which figure a line names. @throws {CommandError} */
async function readUsed(
  { history }: ProvenanceStore,
  { sourcesOf }: ApplicableRateDeps,
  { cells, problem }: ListLine,
): Promise<UsedFigure> {
  if (problem !== undefined) throw new CommandError(problem);
  const pair = requirePair(cells.base ?? "", cells.quote ?? "");
  const date = requireDate(cells.published_for || cells.date || "");
  const rate = parseDecimal((cells.rate ?? "").replace(/^([0-9]+),([0-9]+)$/, "$1.$2"));
  if (!isDecimal(rate) || isZero(rate)) {
    throw new CommandError(`rate ${quoted(cells.rate)} must be above zero, such as 1.1476`);
  }
  const source = cells.source || (await history.lastStoredBy(pair, NEWEST))?.source;
  if (source === undefined) {
    throw new CommandError(`no source owns ${pairName(pair)}: name one in a column source`);
  }
  const kind = figureKinds.find((one) => one === cells.kind);
  if (cells.kind && kind === undefined) {
    throw new CommandError(`kind ${quoted(cells.kind)} must be one of ${figureKinds.join(", ")}`);
  }
  const served = servedKindOf(source, sourcesOf);
  const series = { ...pair, source, kind: kind ?? served };
  return { ...series, date, rate, isOfServedKind: series.kind === served };
}

function lineJson({ asked, cells, used, now, stated = [], ...found }: CheckedLine) {
  const { line, outcome, difference, reason, others } = found;
  const { date, base, quote, source, kind } = { ...cells, ...asked };
  return {
    ...{ line, outcome, date, base, quote, source: source ?? null, kind: kind ?? null },
    ...{ rate: cells.rate, difference: difference ?? null, reason },
    used: used ? figureJson(used) : null,
    now: now ? figureJson(now) : null,
    stated: stated.map(({ rate, decision, hash = null }) => ({ rate, decision, document: hash })),
    others,
  };
}

/** A line of text on a figure that is not unchanged. */
function describe({ line, outcome, reason, asked, cells }: CheckedLine): string {
  if (outcome === "unchanged") return "";
  const { source = "", date = "" } = asked ?? {};
  const figure = asked && `${pairName(asked)} ${cells.rate} for ${date} from ${source}: `;
  return `${visibleLine(`line ${line}: ${figure ?? ""}${outcome}: ${reason}`)}\n`;
}
