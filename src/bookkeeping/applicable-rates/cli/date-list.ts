import { CommandError } from "../../../platform/cli/command.ts";
import { whyNoDate } from "../../../platform/cli/dates.ts";
import { withFile } from "../../../platform/cli/input-file.ts";
import { type ListOptions, writeList } from "../../../platform/cli/list-writer.ts";
import { wholeNumber } from "../../../platform/cli/whole-number.ts";
import type { Rounding } from "../../../platform/shared/decimal.ts";
import { requirePair, requireSymbol } from "../../../rates/served/cli/arguments.ts";
import { type AssetSymbol, pairName } from "../../../rates/served/rules/symbol.ts";
import type { ProvenanceStore } from "../../provenance/cli/arguments.ts";
import { convert, type Precision, parseAmount } from "../amount.ts";
import { OWN_RATE } from "../json.ts";
import { explainThird } from "../not-known.ts";
import type { Preset } from "../presets.ts";
import {
  type ApplicableRateDeps,
  type AskedRule,
  applyRule,
  type RuleOptions,
  readRuleOptions,
} from "./arguments.ts";
import {
  isoForm,
  type ListForm,
  type ListHeader,
  type ListLine,
  type Meaning,
  parseColumns,
  readListDate,
  readListHeader,
  readListLine,
} from "./list-lines.ts";
import { type Exchange, type ListedRate, rowFormat } from "./list-rows.ts";

/** What a command asks of a list. */
interface ListQuery {
  readonly path: string;
  /** Of the lines without a preset of their own; undefined: each must have one. */
  readonly asked: AskedRule | undefined;
  /** The gaps that the command accepts. */
  readonly gaps: Pick<RuleOptions, "acceptGaps">;
  /** The currency to lead to; undefined: the preset's. */
  readonly into: AssetSymbol | undefined;
  readonly precision: Precision;
  /** The headers of the columns that the list names otherwise. */
  readonly columns: ReadonlyMap<Meaning, string>;
}

/** The options that say what a list has, and what becomes of its amounts. */
export interface ListQueryOptions extends RuleOptions {
  readonly columns?: string;
  readonly into?: string;
  readonly scale?: string;
  readonly rounding?: Rounding;
}

/** Reads the options. @throws {CommandError} */
export function readListQuery(path: string, options: ListQueryOptions): ListQuery {
  const { as, source, rule, into, columns, acceptGaps } = options;
  const { scale = "2", rounding = "half-up" } = options;
  const isAsked = as !== undefined || source !== undefined || rule !== undefined;
  return {
    path,
    asked: isAsked ? readRuleOptions(options) : undefined,
    gaps: acceptGaps === undefined ? {} : { acceptGaps },
    into: into === undefined ? undefined : requireSymbol("--into", into),
    precision: { scale: wholeNumber("--scale", scale, 0, 20), rounding },
    columns: parseColumns(columns, FORM),
  };
}

/**
 * Finds a figure for each line of a list. A line without one does not end the list.
 *
 * @returns the exit code: 1 where a line has none.
 */
export async function findForList(
  deps: ApplicableRateDeps,
  query: ListQuery,
  options: Pick<ListOptions, "json"> & { readonly format: ListOptions["format"] | "excel" },
): Promise<number> {
  const { write, printError } = deps;
  let [lines, failed] = [0, 0];
  await readList(deps, query, async (_store, header, pages) => {
    const counted = async function* () {
      for await (const listed of pages) {
        lines += listed.length;
        failed += listed.filter(({ outcome }) => "error" in outcome).length;
        yield listed;
      }
    };
    const isExcel = options.format === "excel";
    const format = options.format === "excel" ? "csv" : options.format;
    if (isExcel && !options.json) await deps.writeBytes(BYTE_ORDER_MARK);
    const rows = rowFormat(header, query.precision, {
      isExcel,
      isCsv: format === "csv" && !options.json,
    });
    await writeList(counted(), { ...options, format }, rows, write);
  });
  if (lines === 0) throw new CommandError(`${query.path} has no line: ${linesWanted(FORM)}`);
  if (failed > 0) printError(`kurs: ${failed} of ${lines} lines have no figure: see their errors`);
  return failed > 0 ? 1 : 0;
}

/** Reads a list with the figure for each line, or why it has none. @throws {CommandError} */
export async function readList(
  deps: ApplicableRateDeps,
  query: ListQuery,
  use: (
    store: ProvenanceStore,
    header: ListHeader,
    pages: AsyncIterable<readonly ListedRate[]>,
  ) => Promise<void>,
): Promise<void> {
  const find = async (store: ProvenanceStore, line: ListLine) => ({
    ...line,
    outcome: await findFor(store, deps, line, query),
  });
  await withList(deps, { ...query, form: FORM, find }, async (store, header, pages) => {
    // Fails before anything is written where neither the command nor the list names a rule.
    if (query.asked === undefined && !header.places.has("preset")) readRuleOptions({});
    await use(store, header, pages);
  });
}

/** A list, and how a command reads it. */
interface ReadableList<Found> extends Pick<ListQuery, "path" | "columns"> {
  readonly form: ListForm;
  readonly find: (store: ProvenanceStore, line: ListLine) => Promise<Found>;
}

/** Reads a list with what a command finds for each line. @throws {CommandError} */
export async function withList<Found>(
  deps: ApplicableRateDeps,
  { path, columns, form, find }: ReadableList<Found>,
  use: (
    store: ProvenanceStore,
    header: ListHeader,
    pages: AsyncIterable<readonly Found[]>,
  ) => Promise<void>,
): Promise<void> {
  await withFile(path, deps, async (opened) => {
    await using store = await deps.openStore();
    const batches = deps.readTextLines(opened.bytes)[Symbol.asyncIterator]();
    const first = await batches.next();
    const [line] = first.done ? [] : first.value;
    if (line === undefined) throw new CommandError(`${path} is empty: ${linesWanted(form)}`);
    const header = readListHeader(line, columns, form);
    const pages = async function* () {
      for (let next = first; !next.done; next = await batches.next()) {
        const found: Found[] = [];
        for (const one of next.value) {
          if (one.line !== header.line) found.push(await find(store, readListLine(one, header)));
        }
        yield found;
      }
    };
    await use(store, header, pages());
  });
}

/** Without it Excel reads a file as one of Windows's own encoding. */
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

const FORM: ListForm = {
  meanings: ["date", "base", "quote", "currency", "amount", "preset"],
  plain: [3, 3],
  columns: "date and currency, or date, base and quote",
};

/** What the lines of a list must be, for one that has none. */
export const linesWanted = ({ meanings, plain: [least] }: ListForm) =>
  `each must be ${meanings.slice(0, least).join().toUpperCase()}, or have the columns of a header`;

async function findFor(
  store: ProvenanceStore,
  deps: ApplicableRateDeps,
  { cells, problem }: ListLine,
  query: ListQuery,
): Promise<ListedRate["outcome"]> {
  try {
    if (problem !== undefined) throw new CommandError(problem);
    const { preset: name = "", amount: given = "" } = cells;
    const asked =
      name === ""
        ? (query.asked ?? readRuleOptions({}))
        : readRuleOptions({ as: name, ...query.gaps });
    const exchange = readExchange(cells, asked.preset, query.into);
    const date = requireDate(cells.date ?? "");
    const amount = given === "" ? undefined : parseAmount(given);
    if (amount !== undefined && "reason" in amount) throw new CommandError(amount.reason);
    const { pair, operation } = exchange;
    const applied = pair && (await applyRule(store, deps, pair, date, asked));
    const rate = applied?.rate.figure.rate ?? OWN_RATE;
    const converted = amount && convert(amount, operation, rate, query.precision);
    return { exchange, asked, applied, rate, amount, converted };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { error: error.message };
  }
}

/** Reads a date as 2024-10-16 or 16.10.2024. @throws {CommandError} */
export function requireDate(text: string): string {
  const date = readListDate(text);
  if (date !== undefined) return date;
  const wanted = "must be a date such as 2026-03-13 or 13.03.2026";
  throw new CommandError(whyNoDate("date", text, wanted, isoForm(text)));
}

/** Reads which currency leads to which. @throws {CommandError} no pair of one figure does. */
function readExchange(
  { base, quote, currency }: ListLine["cells"],
  preset: Preset | undefined,
  given: AssetSymbol | undefined,
): Exchange {
  if (currency !== undefined) return exchangeOfCurrency(currency, preset, given);
  const pair = requirePair(base ?? "", quote ?? "");
  const own = preset?.currency.symbol;
  const isOwn = own === pair.base || own === pair.quote;
  const into = given ?? (isOwn ? (own as AssetSymbol) : pair.quote);
  if (into !== pair.base && into !== pair.quote) {
    throw new CommandError(`${pairName(pair)} does not lead to ${into}: see --into`);
  }
  // A preset of another currency has no such pair, and says so.
  if (pair.base === pair.quote && (own === undefined || isOwn || given !== undefined)) {
    return { from: into, into, pair: undefined, operation: "multiply" };
  }
  return into === pair.base
    ? { from: pair.quote, into, pair, operation: "divide" }
    : { from: pair.base, into, pair, operation: "multiply" };
}

function exchangeOfCurrency(
  currency: string,
  preset: Preset | undefined,
  given: AssetSymbol | undefined,
): Exchange {
  const from = requireSymbol("currency", currency);
  if (preset === undefined) {
    const wanted = "name the columns base and quote, which say whose figure it is";
    throw new CommandError(`a currency alone needs a preset: ${wanted}, or pass --as`);
  }
  const { place, symbol } = preset.currency;
  const into = given ?? (symbol as AssetSymbol);
  if (from === into) return { from, into, pair: undefined, operation: "multiply" };
  if (from !== symbol && into !== symbol) {
    throw new CommandError(explainThird(preset.source, from, into, symbol));
  }
  const isDivided = (into === symbol) === (place === "base");
  const pair = isDivided ? { base: into, quote: from } : { base: from, quote: into };
  return { from, into, pair, operation: isDivided ? "divide" : "multiply" };
}
