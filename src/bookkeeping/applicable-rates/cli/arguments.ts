import { type Command, Option } from "commander";
import { CommandError } from "../../../platform/cli/command.ts";
import { parseDate } from "../../../platform/cli/dates.ts";
import { wholeNumber } from "../../../platform/cli/whole-number.ts";
import { quoted } from "../../../platform/shared/text/visible-text.ts";
import { figureKinds, seriesOf, servedKindOf } from "../../../rates/series/cli/arguments.ts";
import type { Series, StoredFigure } from "../../../rates/series/store.ts";
import { requireKnown, requirePair } from "../../../rates/served/cli/arguments.ts";
import type { FigureKind } from "../../../rates/served/figures.ts";
import { explainEnd } from "../../../rates/served/rules/ended-currencies.ts";
import { type AssetSymbol, type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import { IMPORT_SOURCE, isImport } from "../../../rates/served/rules/update-policy.ts";
import type { RateSource } from "../../../rates/sources/source.ts";
import type { ProvenanceCommandDeps, ProvenanceStore } from "../../provenance/cli/arguments.ts";
import { readRestores } from "../../provenance/served-at.ts";
import { COMMON } from "../beside.ts";
import { findApplicableRate } from "../find.ts";
import type { AppliedRule } from "../json.ts";
import { adviceForSeries, explainThird, storedPair } from "../not-known.ts";
import { explainEarly } from "../preset.ts";
import { type Preset, presets } from "../presets.ts";
import { dateCounted, GAPS, type RateRule, rateRules } from "../rules.ts";

/** A line of a text with its number from 1, or why it could not be read. */
export type NumberedLine =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly reason: string };

/** The dependencies of the commands on the rate that a rule names. */
export interface ApplicableRateDeps extends ProvenanceCommandDeps {
  /** @throws {ConfigError} */
  readonly settings: () => { readonly historyDays: number | undefined };
  /** All sources of this version, also those whose documents are handed in. */
  readonly knownSources: () => readonly RateSource[];
  /** Reads lines of any length in batches; a blank one is left out. */
  readonly readTextLines: (
    bytes: AsyncIterable<Uint8Array>,
  ) => AsyncIterable<readonly NumberedLine[]>;
  /** Writes to stdout, also what is invisible. */
  readonly writeBytes: (bytes: Uint8Array) => Promise<void>;
}

/** The options that say which figure is asked for. */
export interface RuleOptions {
  readonly as?: string;
  readonly source?: string;
  readonly rule?: RateRule;
  readonly kind?: FigureKind;
  readonly acceptGaps?: string | true;
}

/** Adds the arguments and options that say which figure is asked for. */
export function withRuleOptions(command: Command): Command {
  return command
    .argument("[base]", "such as EUR")
    .argument("[quote]", "such as PLN")
    .argument("[date]", "such as 2026-03-16: the day on which the tax falls due")
    .option("--as <preset>", "the source and the rule that a law names: see kurs rates presets")
    .option("--source <source>", "whose figures; kurs rates list BASE QUOTE has the sources")
    .addOption(new Option("--rule <rule>", "which date's figure").choices(rateRules))
    .addOption(
      new Option("--kind <kind>", "which figures (default: the kind that is served)").choices(
        figureKinds,
      ),
    )
    .option(
      "--accept-gaps [days]",
      `take up to this many dates without a stored figure, at most ${GAPS.most} (default: ` +
        `${GAPS.usual}), as dates without a publication`,
    );
}

/** The arguments for a pair and a date, of which some may be missing. */
export type PairAndDate = readonly [base: Given, quote: Given, date: Given];

/** An argument that may be missing. */
export type Given = string | undefined;

/** Reads the arguments. @param instead what else may be passed. @throws {CommandError} */
export function readPairAndDate([base, quote, date]: PairAndDate, instead = "") {
  if (base === undefined || quote === undefined || date === undefined) {
    throw new CommandError(`pass BASE QUOTE DATE, such as EUR PLN 2026-03-16${instead}`, 2);
  }
  return { pair: requirePair(base, quote), date: parseDate("date", date) };
}

/** What a command asks for, whatever the pair and the date. */
export interface AskedRule {
  readonly source: string;
  readonly rule: RateRule;
  readonly preset: Preset | undefined;
  readonly kind: FigureKind | undefined;
  readonly mostGaps: number;
}

/** Reads the options. @throws {CommandError} they name no source or rule, or two. */
export function readRuleOptions(options: RuleOptions): AskedRule {
  const { as: name, source, rule, kind } = options;
  const mostGaps = readGaps(options.acceptGaps);
  if (name === undefined) {
    if (source === undefined || rule === undefined) {
      const missing = source === undefined ? "--source" : "--rule";
      throw new CommandError(`pass --source and --rule, or --as: ${missing} is missing`, 2);
    }
    return { source, rule, preset: undefined, kind, mostGaps };
  }
  const preset = presets.find((one) => one.name === name);
  if (preset === undefined) {
    const known = presets.map((one) => one.name).join(", ");
    throw new CommandError(`--as ${quoted(name)}: must be one of ${known}`, 2);
  }
  if (source !== undefined || rule !== undefined || kind !== undefined) {
    const extra = source !== undefined ? "--source" : rule !== undefined ? "--rule" : "--kind";
    throw new CommandError(`--as ${name} names the figure alone: leave out ${extra}`, 2);
  }
  return { source: preset.source, rule: preset.rule, preset, kind, mostGaps };
}

function readGaps(given: RuleOptions["acceptGaps"]): number {
  if (given === undefined) return 0;
  return given === true ? GAPS.usual : wholeNumber("--accept-gaps", given, 1, GAPS.most);
}

/** Finds the figure of a pair that is asked for. @throws {CommandError} it is not known. */
export async function applyRule(
  store: ProvenanceStore,
  deps: Pick<ApplicableRateDeps, "clock" | "sourcesOf" | "knownSources" | "documents" | "settings">,
  pair: Pair,
  asked: string,
  { source: key, rule, preset, kind, mostGaps }: AskedRule,
): Promise<AppliedRule> {
  const { clock, sourcesOf, knownSources, documents, settings } = deps;
  if (requireTwo(pair, preset) === undefined) {
    throw new CommandError(`${pairName(pair)} is 1 by definition: no publisher states it`);
  }
  const early = preset && explainEarly(preset, asked);
  if (early !== undefined) throw new CommandError(early);
  const served = servedKindOf(key, sourcesOf);
  const [source] = sourcesOf([key]);
  const nowMs = clock.nowMs();
  const date = dateCounted(asked, preset?.period);
  const wanted = { ...pair, source: key, kind: kind ?? served };
  const contradicted = await store.series.contradicted(wanted);
  if (contradicted.length === 0) {
    const missing = { source, knownSources, settings, rule, asked, date, nowMs };
    await requireSeries(store, wanted, missing);
  }
  const series =
    contradicted.length > 0
      ? wanted
      : await seriesOf(store.series, pair, key, { asked: kind, served });
  const restores = await readRestores(store.audit, pair);
  const readStated = async ({ publication }: StoredFigure) => {
    const found = await store.history.publicationFrom(publication);
    const stated = found && documents.figuresIn(found);
    return stated && "reason" in stated ? undefined : stated;
  };
  const { historyDays } = settings();
  const uses = {
    ...{ reads: store.series, series, contradicted, source, restores, historyDays, readStated },
    nowMs,
  };
  const rate = await findApplicableRate(uses, { rule, asked, date, mostGaps });
  if ("reason" in rate) throw new CommandError(rate.reason);
  return { rate, preset };
}

/** @throws {CommandError} the source has no figure of the pair: why, or how to get one. */
async function requireSeries(
  { series }: ProvenanceStore,
  { base, quote, source: key }: Series,
  { source, knownSources, settings, rule, asked, date, nowMs }: MissingSeries,
): Promise<void> {
  const has = async (pair: Pair) => (await series.seriesOf(pair)).some((one) => one.source === key);
  if (await has({ base, quote })) return;
  const isInverse = await has({ base: quote, quote: base });
  if (source === undefined && !isInverse && !isImport(key)) {
    const sourceKeys = [...knownSources().map((one) => one.key), IMPORT_SOURCE];
    requireKnown([key], { sourceKeys, settings });
  }
  const ended = explainEnd({ base, quote }, asked > date ? asked : date);
  if (ended !== undefined) throw new CommandError(ended);
  const none = `${key} has no figure of ${base}/${quote}`;
  if (isInverse)
    throw new CommandError(`${none}, but of ${quote}/${base}: ask for that, and divide`);
  const iso = storedPair({ base, quote });
  if (await has(iso)) throw new CommandError(`${none}: its figure is stored as ${pairName(iso)}`);
  for (const third of COMMON) {
    const leads = async (one: AssetSymbol) =>
      (await has({ base: third, quote: one })) || (await has({ base: one, quote: third }));
    if ((await leads(base)) && (await leads(quote)))
      throw new CommandError(explainThird(key, base, quote, third));
  }
  if (source !== undefined) {
    throw new CommandError(`${none}: ${adviceForSeries(source, rule, date, nowMs)}`);
  }
}

/** What explains that a source has no figure of a pair. */
interface MissingSeries extends Pick<ApplicableRateDeps, "knownSources" | "settings"> {
  /** Undefined for an import, and for a source that this version does not know. */
  readonly source: RateSource | undefined;
  readonly rule: RateRule;
  readonly asked: string;
  readonly date: string;
  readonly nowMs: number;
}

/**
 * Requires the currency of a preset in its place.
 *
 * @returns undefined for a currency by itself, whose rate is 1.
 */
export function requireTwo(pair: Pair, preset: Preset | undefined): Pair | undefined {
  const found = pair.base === pair.quote ? undefined : pair;
  if (preset === undefined) return found;
  const { place, symbol } = preset.currency;
  if (pair[place] === symbol) return found;
  const others = place === "base" ? [pair.quote, pair.base] : [pair.base, pair.quote];
  const other = others.find((one) => one !== symbol);
  const example = place === "base" ? `${symbol} ${other}` : `${other} ${symbol}`;
  const rule = `${preset.source} states figures with the ${place} ${symbol}, such as ${example}`;
  throw new CommandError(`${pairName(pair)} has no figure for ${preset.name}: ${rule}`, 2);
}
