import { separatedLine } from "../../../platform/cli/csv.ts";
import type { Column } from "../../../platform/cli/output.ts";
import type { Decimal } from "../../../platform/shared/decimal.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import { type AssetSymbol, type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import { type Amount, amountText, type Operation, type Precision } from "../amount.ts";
import type { AppliedRule } from "../json.ts";
import type { AskedRule } from "./arguments.ts";
import { type ListHeader, type ListLine, readListDate } from "./list-lines.ts";

// The lines of a list with their figures, as a table, JSON or CSV.

/** The currencies of an amount before and after, and the pair between; none for one currency. */
export interface Exchange {
  readonly from: AssetSymbol;
  readonly into: AssetSymbol;
  readonly pair: Pair | undefined;
  readonly operation: Operation;
}

interface Found {
  readonly exchange: Exchange;
  readonly asked: AskedRule;
  /** Undefined where the amount is in the currency to which it leads. */
  readonly applied: AppliedRule | undefined;
  readonly rate: Decimal;
  readonly amount: Amount | undefined;
  readonly converted: Amount | undefined;
}

/** A line of the list, and the figure for it or why it has none. */
export interface ListedRate extends ListLine {
  readonly outcome: Found | { readonly error: string };
}

/** The columns of CSV in every list. */
const FIGURE_COLUMNS = [
  ...["line", "date", "base", "quote", "rate", "published_for", "source", "kind"],
  ...["rule", "counted_from", "revision", "document", "error"],
];

/** The further columns of CSV where a list has more than dates and pairs. */
const AMOUNT_COLUMNS = [
  ...["preset", "currency", "amount", "converted_currency", "converted", "operation"],
  ...["scale", "rounding"],
];

/** How the lines of a list are printed. @param isCsv whether each column is a cell of CSV. */
export function rowFormat(
  { places, others }: ListHeader,
  precision: Precision,
  { isExcel, isCsv }: { readonly isExcel: boolean; readonly isCsv: boolean },
) {
  const own = [...FIGURE_COLUMNS, ...AMOUNT_COLUMNS];
  /** A column of the list that has the name of one of Kurs's. */
  const nameInCsv = (name: string) => (own.includes(name.toLowerCase()) ? `list ${name}` : name);
  const carried = others.map(([name]) => nameInCsv(name));
  const isPlain = others.length === 0 && !places.has("amount") && !places.has("currency");
  const csvColumns = isPlain && !places.has("preset") ? FIGURE_COLUMNS : [...own, ...carried];
  return {
    columns: columnsFor(places.has("amount"), precision),
    csvColumns,
    toJson: (row: ListedRate): Readonly<Record<string, unknown>> => {
      const json = rowJson(row, precision);
      if (!isCsv) return json;
      const cells = isExcel ? { ...json, ...decimalCommas(json) } : json;
      const named = Object.entries(row.others).map(([name, cell]) => [nameInCsv(name), cell]);
      return { ...cells, ...Object.fromEntries(named) };
    },
    ...(isExcel && { csvLine: (cells: readonly string[]) => separatedLine(cells, ";") }),
  };
}

/** The numbers as a spreadsheet reads them where semicolons separate cells. */
const decimalCommas = ({ rate, amount, converted }: ReturnType<typeof rowJson>) => ({
  rate: rate?.replace(".", ",") ?? null,
  amount: amount?.replace(".", ",") ?? null,
  converted: converted?.replace(".", ",") ?? null,
});

function rowJson({ line, cells, others, outcome }: ListedRate, { scale, rounding }: Precision) {
  const found = "error" in outcome ? undefined : outcome;
  const applied = found?.applied?.rate;
  const { pair, from, into, operation } = found?.exchange ?? {};
  const { amount, converted } = found ?? {};
  return {
    line,
    date: readListDate(cells.date ?? "") ?? cells.date ?? "",
    base: cells.base ?? pair?.base ?? from ?? "",
    quote: cells.quote ?? pair?.quote ?? into ?? "",
    rate: found?.rate ?? null,
    rule: applied?.rule ?? null,
    counted_from: applied?.date ?? null,
    published_for: applied?.figure.date ?? null,
    source: applied?.figure.source ?? null,
    kind: applied?.figure.kind ?? null,
    revision: applied?.figure.revision ?? null,
    document: applied?.figure.hash ?? null,
    error: "error" in outcome ? outcome.error : null,
    preset: found?.asked.preset?.name ?? null,
    currency: from ?? null,
    amount: amount === undefined ? null : amountText(amount),
    converted_currency: into ?? null,
    converted: converted === undefined ? null : amountText(converted),
    operation: operation ?? null,
    scale: converted === undefined ? null : scale,
    rounding: converted === undefined ? null : rounding,
    others,
  };
}

const textOf = (text: (found: Found) => string | undefined) => (row: ListedRate) =>
  "error" in row.outcome ? "" : (text(row.outcome) ?? "");

function columnsFor(
  hasAmounts: boolean,
  { scale, rounding }: Precision,
): readonly Column<ListedRate>[] {
  const amounts: readonly Column<ListedRate>[] = [
    ["AMOUNT", textOf(({ amount, exchange }) => money(amount, exchange.from)), "right"],
    [
      `CONVERTED, ${counted(scale, "place")} ${rounding}`,
      textOf(({ converted, exchange }) => money(converted, exchange.into)),
      "right",
    ],
  ];
  return [
    ["LINE", ({ line }) => line, "right"],
    ["DATE", ({ cells }) => readListDate(cells.date ?? "") ?? cells.date ?? ""],
    ["PAIR", pairText],
    ["RATE", textOf(({ rate }) => rate), "right"],
    ...(hasAmounts ? amounts : []),
    ["PUBLISHED FOR", textOf(({ applied }) => applied?.rate.figure.date)],
    ["SOURCE", textOf(({ applied }) => applied?.rate.figure.source)],
    ["ERROR", ({ outcome }) => ("error" in outcome ? outcome.error : "")],
  ];
}

const money = (amount: Amount | undefined, symbol: string) =>
  amount && `${amountText(amount)} ${symbol}`;

function pairText({ cells: { base, quote, currency }, outcome }: ListedRate): string {
  if (currency === undefined) return `${base}/${quote}`;
  const pair = "error" in outcome ? undefined : outcome.exchange.pair;
  return pair === undefined ? currency : pairName(pair);
}
