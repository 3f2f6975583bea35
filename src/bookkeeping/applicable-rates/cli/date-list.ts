import { CommandError } from "../../../platform/cli/command.ts";
import { withFile } from "../../../platform/cli/input-file.ts";
import { type ListOptions, writeList } from "../../../platform/cli/list-writer.ts";
import type { Column } from "../../../platform/cli/output.ts";
import type { ProvenanceStore } from "../../provenance/cli/arguments.ts";
import type { AppliedRule } from "../json.ts";
import {
  type ApplicableRateDeps,
  type AskedRule,
  applyRule,
  type NumberedLine,
  readPairAndDate,
} from "./arguments.ts";

/** A line of the list, and the figure for it or why it has none. */
type ListedRate = Readonly<Record<"date" | "base" | "quote", string>> & {
  readonly line: number;
  readonly outcome: AppliedRule | { readonly error: string };
};

/**
 * Finds a figure for each line of a list. A line without one does not end the list.
 *
 * @returns the exit code: 1 where a line has none.
 */
export async function findForList(
  deps: ApplicableRateDeps,
  path: string,
  asked: AskedRule,
  options: ListOptions,
): Promise<number> {
  const { openStore, readTextLines, write, printError } = deps;
  let [lines, failed] = [0, 0];
  await withFile(path, deps, async (opened) => {
    await using store = await openStore();
    const pages = async function* () {
      for await (const batch of readTextLines(opened.bytes)) {
        const listed: ListedRate[] = [];
        for (const line of batch) {
          if (isHeader(line)) continue;
          listed.push(await findFor(store, deps, line, asked));
        }
        lines += listed.length;
        failed += listed.filter(({ outcome }) => "error" in outcome).length;
        yield listed;
      }
    };
    await writeList(pages(), options, rowFormat, write);
  });
  if (lines === 0) throw new CommandError(`${path} has no line: each must be DATE,BASE,QUOTE`);
  if (failed > 0) printError(`kurs: ${failed} of ${lines} lines have no figure: see their errors`);
  return failed > 0 ? 1 : 0;
}

const LINE_FORM = "the line must be DATE,BASE,QUOTE, such as 2026-03-16,EUR,PLN";

const splitCells = (text: string) =>
  text.split(/[,;]/).map((cell) => cell.trim().replace(/^\uFEFF?"?(.*?)"?$/, "$1"));

const isHeader = (line: NumberedLine) =>
  line.line === 1 &&
  "text" in line &&
  splitCells(line.text).join().toLowerCase() === "date,base,quote";

async function findFor(
  store: ProvenanceStore,
  deps: ApplicableRateDeps,
  line: NumberedLine,
  asked: AskedRule,
): Promise<ListedRate> {
  const cells = "reason" in line ? [] : splitCells(line.text);
  const [date = "", base = "", quote = ""] = cells;
  const listed = { line: line.line, date, base, quote };
  try {
    if ("reason" in line) throw new CommandError(line.reason);
    if (cells.length !== 3) throw new CommandError(LINE_FORM);
    const { pair, date: day } = readPairAndDate([base, quote, date]);
    const applied = await applyRule(store, deps, pair, day, asked);
    return { ...listed, outcome: applied };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { ...listed, outcome: { error: error.message } };
  }
}

function rowJson({ line, date, base, quote, outcome }: ListedRate) {
  const found = "error" in outcome ? undefined : outcome.rate;
  return {
    line,
    date,
    base,
    quote,
    rate: found?.figure.rate ?? null,
    rule: found?.rule ?? null,
    counted_from: found?.date ?? null,
    published_for: found?.figure.date ?? null,
    source: found?.figure.source ?? null,
    kind: found?.figure.kind ?? null,
    revision: found?.figure.revision ?? null,
    document: found?.figure.hash ?? null,
    error: "error" in outcome ? outcome.error : null,
  };
}

const figureText = (text: (applied: AppliedRule) => string) => (row: ListedRate) =>
  "error" in row.outcome ? "" : text(row.outcome);

const rowFormat = {
  columns: [
    ["LINE", ({ line }) => line, "right"],
    ["DATE", ({ date }) => date],
    ["PAIR", ({ base, quote }) => `${base}/${quote}`],
    ["RATE", figureText(({ rate }) => rate.figure.rate), "right"],
    ["PUBLISHED FOR", figureText(({ rate }) => rate.figure.date)],
    ["SOURCE", figureText(({ rate }) => rate.figure.source)],
    ["ERROR", ({ outcome }) => ("error" in outcome ? outcome.error : "")],
  ] as readonly Column<ListedRate>[],
  csvColumns: [
    ...(["line", "date", "base", "quote", "rate", "published_for", "source", "kind"] as const),
    ...(["rule", "counted_from", "revision", "document", "error"] as const),
  ],
  toJson: rowJson,
};
