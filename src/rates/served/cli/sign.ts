import type { Command } from "commander";
import { CommandError } from "../../../platform/cli/command.ts";
import { counted } from "../../../platform/shared/text/counted.ts";
import type { SigningKeyStore } from "../signing-key.ts";
import type { RateCommandDeps } from "./arguments.ts";

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
