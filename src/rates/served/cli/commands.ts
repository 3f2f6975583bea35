import type { Command } from "commander";
import { CommandError, type OutputOptions } from "../../../platform/cli/command.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import { removedRateJson } from "../json.ts";
import { type Pair, pairName } from "../rules/symbol.ts";
import type { SigningKeyStore } from "../signing-key.ts";
import type { RemovedRate } from "../store.ts";
import { notStored, type RateCommandDeps, requirePair, sourcedText } from "./arguments.ts";

/** Adds `kurs rates`, to which every feature of rates adds its commands. */
export function rateGroup(program: Command): Command {
  return program
    .command("rates")
    .description("store, show, suspend and delete rates")
    .addHelpText("after", "\nExample:\n  $ kurs rates import rates.csv");
}

/** Adds `kurs rates suspend` and `kurs rates resume`. */
export function suspendCommands(rates: Command, deps: RateCommandDeps): void {
  rates
    .command("suspend")
    .description("respond to reads of a pair with 503 until it is resumed; they are charged")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates suspend EUR USD")
    .action((base: string, quote: string) =>
      setSuspended(deps, requirePair(base, quote), "suspend"),
    );

  rates
    .command("resume")
    .description("serve a suspended pair again")
    .argument("<base>")
    .argument("<quote>")
    .addHelpText("after", "\nExample:\n  $ kurs rates resume EUR USD")
    .action((base: string, quote: string) =>
      setSuspended(deps, requirePair(base, quote), "resume"),
    );
}

async function setSuspended(
  { openStore, origin, print }: RateCommandDeps,
  pair: Pair,
  change: "suspend" | "resume",
): Promise<void> {
  await using store = await openStore();
  const name = pairName(pair);
  if (!(await store.rates[change](pair, origin()))) throw notStored(pair);
  print(change === "resume" ? `${name} is served again` : `${name} is suspended`);
}

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
      deleteRate(deps, requirePair(base, quote), options),
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

/** Adds `kurs rates sign`. */
export function signCommand(rates: Command, deps: RateCommandDeps): void {
  rates
    .command("sign")
    .description("sign every stored rate anew with the key in SIGNING_KEY_FILE")
    .addHelpText("after", signExample)
    .action(() => signRates(deps));
}

const signExample = `
After a key has leaked: name the file of a new key in SIGNING_KEY_FILE, restart every server, then
run this with the same setting. /.well-known/jwks.json then no longer lists the old key.

Example:
  $ SIGNING_KEY_FILE=signing-key.pem kurs rates sign`;

async function signRates({ settings, openStore, headersOf, origin, print }: RateCommandDeps) {
  const { signingKey } = settings();
  if (signingKey === undefined) {
    throw new CommandError("SIGNING_KEY_FILE is not set: set it to the file of a key", 2);
  }
  await using store = await openStore();
  const signed = await store.rates.renewHeaders("all", headersOf, origin().at);
  const details = { key: signingKey.id, signed };
  await store.audit.record("rates.signed", origin(), { details });
  print(`signed ${counted(signed, "rate")} with the key ${signingKey.id}`);
}

/** Warns before a command stores rates without a signature where others have one. */
export async function warnOfMissingKey(
  store: { readonly signingKeys: Pick<SigningKeyStore, "listInUse"> },
  { settings, printError }: Pick<RateCommandDeps, "settings" | "printError">,
): Promise<void> {
  if (settings().signingKey !== undefined) return;
  if ((await store.signingKeys.listInUse()).length === 0) return;
  printError(
    "warning: this store's rates are signed, but those stored now are not: set SIGNING_KEY_FILE",
  );
}
