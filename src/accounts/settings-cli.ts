import type { Command } from "commander";
import { CommandError, type CommandIo, type OpenStore, unknownAccount } from "../cli/command.ts";
import { normalizeEmail } from "../shared/text/email.ts";
import { quoted } from "../shared/text/visible-text.ts";
import type { SettingsStore } from "./settings.ts";
import type { AccountStore } from "./store.ts";

export interface SettingsCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{
    readonly accounts: Pick<AccountStore, "findByEmail">;
    readonly settings: SettingsStore;
  }>;
}

/** Adds `kurs accounts quota-mails`. */
export function settingsCommands(accounts: Command, deps: SettingsCommandDeps): void {
  accounts
    .command("quota-mails")
    .description("turn an account's mails at 80 % and 100 % of its quota on or off")
    .argument("<email>")
    .argument("<on|off>")
    .addHelpText("after", "\nExample:\n  $ kurs accounts quota-mails ada@example.org off")
    .action((email: string, state: string) => setQuotaMails(deps, email, state));
}

async function setQuotaMails(deps: SettingsCommandDeps, typed: string, state: string) {
  const { openStore, origin, print } = deps;
  if (state !== "on" && state !== "off") {
    throw new CommandError(`${quoted(state)}: want on or off`, 2);
  }
  const email = normalizeEmail(typed);
  await using store = await openStore();
  const account = await store.accounts.findByEmail(email);
  if (account === undefined) throw unknownAccount(email);
  await store.settings.change(account.id, { quotaMails: state === "on" }, origin());
  print(`${email} gets ${state === "on" ? "a mail" : "no mail"} at 80 % and 100 % of its quota`);
}
