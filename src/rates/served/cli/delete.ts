import type { Command } from "commander";
import type { OutputOptions } from "../../../platform/cli/command.ts";
import { removedRateJson } from "../json.ts";
import { type Pair, pairName } from "../rules/symbol.ts";
import type { RemovedRate } from "../store.ts";
import { notStored, pairOf, type RateCommandDeps, sourcedText } from "./arguments.ts";

/** Adds `kurs rates delete`. */
export function deleteCommand(rates: Command, deps: RateCommandDeps): void {
  rates
    .command("delete")
    .description("delete the stored rate of a pair, and a held one; reads of it get 404, charged")
    .argument("<base>")
    .argument("<quote>")
    .option("--json", "print the deleted rate as one line of NDJSON, which import reads")
    .addHelpText("after", deleteExamples)
    .action((base: string, quote: string, options: OutputOptions) =>
      deleteRate(deps, pairOf(base, quote), options),
    );
}

const deleteExamples = `
The output has the deleted rate, so that it can be imported again. A source that still publishes the
pair may store it again at its next fetch; to keep a pair out of service, suspend it instead.

Examples:
  $ kurs rates delete EUR USF
  $ kurs rates delete EUR USD --json > deleted.ndjson
  $ kurs rates import deleted.ndjson`;

async function deleteRate(
  { settings, openStore, origin, print, printError }: RateCommandDeps,
  pair: Pair,
  { json }: OutputOptions,
): Promise<void> {
  const { rateSources } = settings();
  await using store = await openStore();
  const removed = await store.rates.remove(pair, origin());
  if (removed === undefined) throw notStored(pair);
  print(json ? JSON.stringify(removedRateJson(removed)) : describeRemoved(removed));
  for (const note of notesOn(removed, rateSources)) printError(note);
}

function describeRemoved({ rate, held }: RemovedRate): string {
  const name = pairName(rate);
  const text = `${name} is deleted: ${sourcedText(rate)}`;
  if (held === undefined) return text;
  return `${text}\nthe held rate of ${name} is deleted: ${sourcedText(held)}`;
}

/** What the operator may not expect to happen after the deletion. */
function notesOn({ rate }: RemovedRate, rateSources: readonly string[]): readonly string[] {
  const { base, quote, source, suspendedAt } = rate;
  const name = pairName(rate);
  const notes: string[] = [];
  if (rateSources.includes(source)) {
    const suspend = `kurs rates suspend ${base} ${quote}`;
    notes.push(
      `${source} publishes ${name}: its next fetch may store it again. ` +
        `To keep it out of service, suspend it once it is stored: ${suspend}`,
    );
  }
  if (suspendedAt !== undefined) {
    notes.push(`${name} was suspended: if it is stored again, it is served`);
  }
  return notes;
}
