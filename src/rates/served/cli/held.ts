import type { Command } from "commander";
import { CommandError, type OpenStore, type OutputOptions } from "../../../platform/cli/command.ts";
import { parseDate } from "../../../platform/cli/dates.ts";
import { formatList } from "../../../platform/cli/output.ts";
import { isDecimal, isEqual, parseDecimal } from "../../../platform/shared/decimal.ts";
import { visibleLine } from "../../../platform/shared/text/visible-text.ts";
import type { FigureKind } from "../figures.ts";
import { heldRateJson } from "../json.ts";
import { describeDisagreement } from "../rules/disagreement.ts";
import { byPair, type Pair, pairName } from "../rules/symbol.ts";
import { createUpdatePolicy, type UpdatePolicy } from "../rules/update-policy.ts";
import type { SigningKeyStore } from "../signing-key.ts";
import type { Contradiction, ContradictionStore, HeldRate, RateStore } from "../store.ts";
import { type RateCommandDeps, requirePair, shortAsOf } from "./arguments.ts";
import { warnOfMissingKey } from "./commands.ts";

/** The dependencies of the commands on what is held. */
export interface HeldCommandDeps extends Omit<RateCommandDeps, "openStore"> {
  /** @returns the kind of a source's figures that is served. */
  readonly servedKindOf: (source: string) => FigureKind;
  readonly openStore: OpenStore<HeldStore & { readonly signingKeys: SigningKeyStore }>;
}

interface HeldStore {
  readonly rates: RateStore;
  readonly contradictions: ContradictionStore;
}

/** Adds `kurs rates held`, `release` and `drop`. */
export function heldCommands(rates: Command, deps: HeldCommandDeps): void {
  rates
    .command("held")
    .description("show the rates that are held, and why")
    .option("--json", "print them as JSON")
    .addHelpText("after", heldExamples)
    .action((options: OutputOptions) => listHeld(deps, options));

  rates
    .command("release")
    .description("serve a held rate from now on")
    .argument("<base>")
    .argument("<quote>")
    .argument("[rate]", "which one, where several are held")
    .option("--date <date>", "and of which date, where it is held for several dates")
    .addHelpText("after", releaseExamples)
    .action((base: string, quote: string, rate: string | undefined, options: ReleaseOptions) =>
      release(deps, requirePair(base, quote), rate, options),
    );

  rates
    .command("drop")
    .description("delete the held rates of a pair, also from their series; the stored rate stays")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates drop BTC USD")
    .action((base: string, quote: string) => drop(deps, requirePair(base, quote)));
}

const heldExamples = `
A rate is held that jumped (RATE_MAX_JUMP), that differs from what another publisher states for the
same date (RATE_MAX_DISAGREEMENT), or that its document contradicts.

Examples:
  $ kurs rates held
  $ kurs rates held --json`;

interface ReleaseOptions {
  readonly date?: string;
}

const releaseExamples = `
The released rate goes to its series, and is served unless a newer one is. Of several rates that a
document states for one pair and time, the others are dropped; other held rates of the pair stay.

Examples:
  $ kurs rates release BTC USD
  $ kurs rates release BRL ARS 27.10`;

async function listHeld({ openStore, print }: HeldCommandDeps, options: OutputOptions) {
  await using store = await openStore();
  const held = await readHeld(store);
  const text = formatList(held, options, {
    toJson: heldRateJson,
    columns: [
      ["PAIR", pairName],
      ["HELD", ({ rate }) => rate, "right"],
      ["SERVED", ({ servedRate }) => servedRate ?? "none", "right"],
      ["AS OF", shortAsOf],
      ["SOURCE", ({ source }) => source],
      ["WHY", whyHeld],
    ],
    none: "No rate is held.",
  });
  print(text);
  for (const line of options.json ? [] : held.flatMap(comparedLines)) print(line);
}

/** Reads all that is held, ordered by pair. */
async function readHeld(store: HeldStore): Promise<readonly (HeldRate | Contradiction)[]> {
  const jumps: readonly (HeldRate | Contradiction)[] = await store.rates.listHeld();
  return [...jumps, ...(await store.contradictions.list())].sort(byPair);
}

/** The figures of a disagreement, each with the command that shows its document. */
function comparedLines(held: HeldRate | Contradiction): string[] {
  if ("document" in held || held.disagreement === undefined) return [];
  const { figures, document } = held.disagreement;
  return [{ ...held, document }, ...figures].map((one) => {
    const trace = `kurs rates trace --document ${one.document ?? "unknown"}`;
    return `  ${pairName(one)} ${one.rate} by ${one.source}: ${trace}`;
  });
}

/** `jump`, `differs from ecb by 12.00 %`, or `one of several in rates.csv, line 3` */
function whyHeld(held: HeldRate | Contradiction): string {
  if (!("document" in held)) {
    return held.disagreement === undefined ? "jump" : describeDisagreement(held.disagreement);
  }
  if (held.isJump) return "jump";
  const line = held.line === undefined ? "" : `, line ${held.line}`;
  return `one of several in ${visibleLine(held.document ?? "a document")}${line}`;
}

async function release(
  deps: HeldCommandDeps,
  pair: Pair,
  text: string | undefined,
  { date }: ReleaseOptions,
): Promise<void> {
  const { openStore, settings, headersOf, origin, print } = deps;
  const onDate = date === undefined ? undefined : parseDate("--date", date, "date");
  const rate = parseDecimal(text ?? "");
  await using store = await openStore();
  await warnOfMissingKey(store, deps);
  const held = (await readHeld(store)).filter((one) => byPair(one, pair) === 0);
  if (held.length === 0) throw notHeld(pair);
  const named = held.filter(
    (one) =>
      (text === undefined || (isDecimal(rate) && isEqual(one.rate, rate))) &&
      (onDate === undefined || onDate === one.date),
  );
  const isOne = named.every(
    (one) => named[0]?.date === one.date && isEqual(named[0].rate, one.rate),
  );
  if (named.length === 0 || !isOne) throw notNamed(pair, held, named.length === 0);
  const decide = createUpdatePolicy(settings());
  // The operator has seen a jump.
  const policy: UpdatePolicy = (current, next) =>
    decide(current, next) === "hold" ? "store" : decide(current, next);
  const exact = named.filter((one) => one.rate === text);
  for (const figure of exact.length > 0 ? exact : named.slice(0, 1)) {
    if (!("document" in figure)) {
      const released = await store.rates.releaseHeld(pair, headersOf, origin(), figure.rate);
      if (released === undefined) throw notHeld(pair);
      print(`${pairName(pair)} is served at ${released.rate}`);
      continue;
    }
    const how = { policy, headersOf, origin: origin(), isServed: isServable(figure, deps) };
    const isServed = await store.contradictions.release(figure, how);
    if (isServed === undefined) throw notHeld(pair);
    const what = `the ${figure.kind} figure of ${figure.date}, ${figure.rate}`;
    const where = `is in the series of ${figure.source} and ${isServed ? "" : "not "}served`;
    print(`${pairName(pair)}: ${what}, ${where}`);
  }
}

/** Whether a figure is of the kind that its source serves, and not of a table that is to come. */
function isServable(figure: Contradiction, { servedKindOf, clock }: HeldCommandDeps): boolean {
  const { source, kind, validUntil, asOf } = figure;
  const hasBegun = validUntil === undefined || Date.parse(asOf) <= clock.nowMs();
  return kind === servedKindOf(source) && hasBegun;
}

async function drop({ openStore, origin, print }: HeldCommandDeps, pair: Pair): Promise<void> {
  await using store = await openStore();
  const hadJump = await store.rates.dropHeld(pair, origin());
  const dropped = await store.contradictions.drop(pair, origin());
  if (!hadJump && dropped === 0) throw notHeld(pair);
  const [rates, are] = Number(hadJump) + dropped === 1 ? ["rate", "is"] : ["rates", "are"];
  print(`the held ${rates} of ${pairName(pair)} ${are} deleted`);
}

function notHeld(pair: Pair): CommandError {
  return new CommandError(`no rate of ${pairName(pair)} is held: see kurs rates held`);
}

function notNamed(
  pair: Pair,
  held: readonly (HeldRate | Contradiction)[],
  isUnknown: boolean,
): CommandError {
  const each = [...new Set(held.map(({ rate, date }) => `${rate} of ${date}`))].join(", ");
  const name = pairName(pair);
  if (isUnknown) return new CommandError(`no such rate of ${name} is held, but ${each}`);
  return new CommandError(
    `several rates of ${name} are held: add the rate and --date to name one: ${each}`,
  );
}
