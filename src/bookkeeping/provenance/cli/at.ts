import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../../platform/cli/command.ts";
import { parsePastMoment } from "../../../platform/cli/dates.ts";
import { formatJson } from "../../../platform/cli/output.ts";
import { requirePair, shortAsOf } from "../../../rates/served/cli/arguments.ts";
import { type Pair, pairName } from "../../../rates/served/rules/symbol.ts";
import { servedAtJson } from "../json.ts";
import { findServedAt, type ServedAt } from "../served-at.ts";
import { noHistory, type ProvenanceCommandDeps } from "./arguments.ts";

/** Adds `kurs rates at`. */
export function atCommand(rates: Command, deps: ProvenanceCommandDeps): void {
  rates
    .command("at")
    .description("show the response that reads of a pair got at a moment")
    .argument("<base>")
    .argument("<quote>")
    .argument("<moment>", "an RFC 3339 time; a date means its end in UTC")
    .option("--json", "print it as JSON")
    .addHelpText("after", atExamples)
    .action((base: string, quote: string, moment: string, options: OutputOptions) =>
      showServedAt(deps, requirePair(base, quote), moment, options),
    );
}

const atExamples = `
It prints the rate that was served, or that the pair was suspended (503) or deleted (404). Exit code
1 when nothing was stored yet, and between a backup's time and its restore: that is not known.
The times are those of this installation's clock; if it was set back, a moment that it showed twice
means the later one.

Examples:
  $ kurs rates at EUR USD 2026-03-13
  $ kurs rates at EUR USD 2026-03-13T15:30:00Z --json`;

async function showServedAt(
  { openStore, clock, print }: ProvenanceCommandDeps,
  pair: Pair,
  moment: string,
  { json }: OutputOptions,
): Promise<void> {
  const at = parsePastMoment("moment", moment, clock.nowMs());
  await using store = await openStore();
  const served = await findServedAt(store, pair, at);
  if (served.status === "unknown") throw notKnown(pair, at, served);
  print(json ? formatJson(servedAtJson(at, served)) : describeServed(pair, at, served));
}

/** The failure of a command that asks for a moment of which the history of a pair tells nothing. */
export function notKnown(
  pair: Pair,
  at: string,
  { first, restore }: Extract<ServedAt, { readonly status: "unknown" }>,
): CommandError {
  if (restore !== undefined) {
    const backup = restore.takenAt === "" ? "a copy" : `a backup of ${restore.takenAt}`;
    const why = `${backup} was restored at ${restore.at}`;
    return new CommandError(`what was served of ${pairName(pair)} at ${at} is not known: ${why}`);
  }
  if (first === undefined) return noHistory(pair);
  const { storedAt, sequence } = first;
  const begin = `the history of ${pairName(pair)} begins at ${storedAt}`;
  if (sequence > 1) return new CommandError(`${begin}; what was served at ${at} was removed`);
  return new CommandError(`${pairName(pair)} was not stored yet at ${at}: ${begin}`);
}

function describeServed(
  pair: Pair,
  at: string,
  served: Exclude<ServedAt, { status: "unknown" }>,
): string {
  const { status, observation, from, until, restore } = served;
  const figure = `${observation.rate} as of ${shortAsOf(observation)} from ${observation.source}`;
  const untilRestored = restore && `; the rest is not known: restored at ${restore.at}`;
  const end = until === undefined ? "until now" : `until ${until}${untilRestored ?? ""}`;
  const name = pairName(pair);
  switch (status) {
    case "served":
      return `${name} at ${at}: ${figure}\nserved from ${from} ${end}`;
    case "suspended":
      return `${name} at ${at}: 503, suspended from ${from} ${end}\nstored then: ${figure}`;
    case "deleted":
      return `${name} at ${at}: 404, deleted from ${from} ${end}\nstored before: ${figure}`;
  }
}
