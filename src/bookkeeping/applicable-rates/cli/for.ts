import { type Command, Option } from "commander";
import { CommandError } from "../../../platform/cli/command.ts";
import { type ListOptions, listFormats } from "../../../platform/cli/list-writer.ts";
import { formatJson } from "../../../platform/cli/output.ts";
import { roundings } from "../../../platform/shared/decimal.ts";
import { shortAsOf } from "../../../rates/served/cli/arguments.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import type { RateSource } from "../../../rates/sources/source.ts";
import { field, linesOfOrigin, linesOfSource } from "../../provenance/cli/origin-lines.ts";
import { isContradicted, type TracedFigure, traceFigure } from "../../provenance/trace.ts";
import { type AppliedRule, applicableRateJson, OWN_RATE, ownRateJson } from "../json.ts";
import { listed, wasDue } from "../not-known.ts";
import { periodWords, ruleWords } from "../rules.ts";
import {
  type ApplicableRateDeps,
  applyRule,
  type Given,
  type PairAndDate,
  readPairAndDate,
  readRuleOptions,
  requireTwo,
  withRuleOptions,
} from "./arguments.ts";
import { findForList, type ListQueryOptions, readListQuery } from "./date-list.ts";

interface ForOptions extends ListQueryOptions, Pick<ListOptions, "json"> {
  readonly file?: string;
  readonly format: ListOptions["format"] | "excel";
}

/** Adds `kurs rates for`. */
export function forCommand(
  rates: Command,
  deps: ApplicableRateDeps,
  setExitCode: (code: number) => void,
): void {
  const command = rates
    .command("for")
    .description("show the figure that a rule names for a date, and the document that states it");
  withRuleOptions(command)
    .option("--file <file>", "a list as CSV, or - for stdin")
    .addOption(
      new Option("--format <format>", "with --file: how to print the list")
        .choices([...listFormats, "excel"])
        .default("table"),
    )
    .option("--columns <columns>", 'what its columns are called: "date=Datum,amount=Betrag"')
    .option("--into <currency>", "to which amounts are converted (default: the preset's)")
    .option("--scale <digits>", "decimals of converted amounts", "2")
    .addOption(
      new Option("--rounding <rounding>", "of converted amounts")
        .choices(roundings)
        .default("half-up"),
    )
    .option("--json", "print it as JSON")
    .addHelpText("after", forExamples)
    .action(async (base: Given, quote: Given, date: Given, options: ForOptions) =>
      setExitCode(await showFor(deps, [base, quote, date], options)),
    );
}

const forExamples = `
Rules, by the publisher's own dates:
  on            ${ruleWords.on}
  on-or-before  ${ruleWords["on-or-before"]}
  before        ${ruleWords.before}
  on-or-next    ${ruleWords["on-or-next"]}
  month         ${ruleWords.month}

A date is passed over only where the publisher's calendar has no publication, or the document has
dates before and after, and nothing for it. Exit code 1 where the figure is not known, also of a
line of --file.

A list has lines of DATE,BASE,QUOTE, or a header with the columns date and currency, or date, base
and quote, in any order, and perhaps amount and preset; others are carried through. Commas or
semicolons separate them; a date may be 16.10.2024, an amount -1.234,56. "excel" is CSV with
semicolons and decimal commas.

Examples:
  $ kurs rates for EUR PLN 2026-03-16 --as pl-vat
  $ kurs rates for EUR USD 2026-03-15 --source ecb --rule on-or-before --json
  $ kurs rates for --file invoices.csv --as pl-vat --format csv > rates.csv
  $ kurs rates for --file list.csv --columns "date=Datum,currency=Währung,amount=Betrag" \\
      --as de-vat --format excel > converted.csv`;

async function showFor(
  deps: ApplicableRateDeps,
  given: PairAndDate,
  options: ForOptions,
): Promise<number> {
  const { openStore, documents, sourcesOf, print } = deps;
  const { file, format, json } = options;
  if (file !== undefined) {
    const [base] = given;
    if (base === undefined) return await findForList(deps, readListQuery(file, options), options);
    throw new CommandError(`leave out ${base}: the list in --file has the pairs and dates`, 2);
  }
  const asked = readRuleOptions(options);
  const { pair, date } = readPairAndDate(given, ", or --file");
  if (format !== "table") throw new CommandError("--format is for --file: pass --json", 2);
  if (requireTwo(pair, asked.preset) === undefined) {
    print(json ? formatJson(ownRateJson(pair, date, asked.preset)) : describeOwn(pair, date));
    return 0;
  }
  await using store = await openStore();
  const applied = await applyRule(store, deps, pair, date, asked);
  const traced = await traceFigure({ history: store.history, documents }, applied.rate.figure);
  const [publisher] = sourcesOf([traced.figure.source]);
  if (json) print(formatJson(applicableRateJson(applied, traced, publisher)));
  else print(describe(applied, traced, publisher));
  return isContradicted(traced) ? 1 : 0;
}

const describeOwn = (pair: Pair, date: string) =>
  `${pairName(pair)} ${OWN_RATE} for ${date}, by definition: no publisher states it`;

function describe(
  applied: AppliedRule,
  { figure, origin }: TracedFigure,
  publisher: RateSource | undefined,
): string {
  const { rate, preset } = applied;
  const { validUntil, revision } = figure;
  const counted = preset?.period === undefined ? "" : `, ${periodWords[preset.period]}`;
  const validity = validUntil === undefined ? "" : `, valid until ${validUntil}`;
  const amended = revision === 1 ? "" : `; amended: this is revision ${revision}`;
  return [
    `${pairName(figure)} ${figure.rate} for ${rate.asked}`,
    field("rule", `${rate.rule}: ${ruleWords[rate.rule]}`),
    ...(rate.date === rate.asked ? [] : [field("counted", `from ${rate.date}${counted}`)]),
    ...(preset === undefined ? [] : [field("preset", `${preset.name}: ${preset.law}; no advice`)]),
    field("published", `for ${figure.date}${validity}${amended}`),
    field("as of", shortAsOf(figure)),
    ...linesOfSource(figure.source, publisher),
    ...noteLines(applied, publisher),
    field("stored", figure.storedAt),
    ...linesOfOrigin(origin, undefined),
  ].join("\n");
}

/** What evidence of the figure would call not proven. */
function noteLines(
  { rate: { figure, acceptedGaps, unprovenGaps, isChecked } }: AppliedRule,
  publisher: RateSource | undefined,
): readonly string[] {
  const [first = ""] = unprovenGaps;
  const due = `${figure.source} ${wasDue(publisher, figure, first)} for ${listed(unprovenGaps)}`;
  const gaps = `no figure is stored for ${acceptedGaps.join(", ")}: accepted as closed`;
  const unchecked = "its calendar is not known: dates without a figure count as closed";
  return [
    ...(acceptedGaps.length > 0 ? [field("gaps", gaps)] : []),
    ...(isChecked ? [] : [field("calendar", unchecked)]),
    ...(first === "" ? [] : [field("calendar", `${due}, and only the document says otherwise`)]),
  ];
}
