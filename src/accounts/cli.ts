import type { Command } from "commander";
import { billingPeriodAt, remainingUnits } from "../billing/rules.ts";
import type { PlanStore } from "../billing/store.ts";
import type { CommandIo, OpenStore } from "../cli/command.ts";
import { CommandError, type OutputOptions } from "../cli/command.ts";
import { type Column, formatJson, formatList, table } from "../cli/output.ts";
import { normalizeEmail } from "../shared/email.ts";
import { accountSummaryJson } from "./json.ts";
import type { SettingsStore } from "./settings.ts";
import { settingsCommands } from "./settings-cli.ts";
import type { AccountStore, AccountSummary } from "./store.ts";

export interface AccountCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{
    readonly accounts: AccountStore;
    readonly plans: PlanStore;
    readonly settings: SettingsStore;
  }>;
}

/** Adds `kurs accounts …`. */
export function accountCommands(program: Command, deps: AccountCommandDeps): void {
  const accounts = program
    .command("accounts")
    .description("show accounts, change their plan, verify their email")
    .addHelpText("after", "\nExample:\n  $ kurs accounts plan ada@example.org pro");

  accounts
    .command("list")
    .description("show every account with its units in the current billing period")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs accounts list\n  $ kurs accounts list --json")
    .action((options: OutputOptions) => listAccounts(deps, options));

  accounts
    .command("show")
    .description("show one account")
    .argument("<email>")
    .option("--json", "print it as JSON")
    .addHelpText("after", "\nExample:\n  $ kurs accounts show ada@example.org")
    .action((email: string, options: OutputOptions) => showAccount(deps, email, options));

  accounts
    .command("plan")
    .description("move an account to a plan; takes effect with the next read")
    .argument("<email>")
    .argument("<plan>")
    .addHelpText("after", "\nExample:\n  $ kurs accounts plan ada@example.org pro")
    .action((email: string, plan: string) => movePlan(deps, email, plan));

  accounts
    .command("verify")
    .description("mark an account's email as verified, for operators without mail")
    .argument("<email>")
    .addHelpText("after", "\nExample:\n  $ kurs accounts verify ada@example.org")
    .action((email: string) => verifyAccount(deps, email));

  settingsCommands(accounts, deps);
}

async function listAccounts(deps: AccountCommandDeps, options: OutputOptions): Promise<void> {
  await using store = await deps.openStore();
  const accounts = await store.accounts.list(billingPeriodAt(deps.clock.nowMs()).name);
  const none = "There are no accounts yet.";
  deps.print(formatList(accounts, options, { toJson: accountSummaryJson, columns, none }));
}

async function showAccount(deps: AccountCommandDeps, typed: string, { json }: OutputOptions) {
  const email = normalizeEmail(typed);
  await using store = await deps.openStore();
  const [account] = await store.accounts.list(billingPeriodAt(deps.clock.nowMs()).name, email);
  if (account === undefined) throw unknownAccount(email);
  deps.print(json ? formatJson(accountSummaryJson(account)) : table(columns, [account]));
}

async function movePlan(deps: AccountCommandDeps, typed: string, plan: string) {
  const { openStore, origin, print } = deps;
  const email = normalizeEmail(typed);
  await using store = await openStore();
  const plans = (await store.plans.list()).map(({ name }) => name);
  if (!plans.includes(plan)) {
    const known = plans.join(", ");
    throw new CommandError(`there is no plan ${plan}; there are: ${known}. See kurs plans set`);
  }
  if (!(await store.accounts.setPlan(email, plan, origin()))) throw unknownAccount(email);
  print(`${email} is on plan ${plan}`);
}

async function verifyAccount({ openStore, origin, print }: AccountCommandDeps, typed: string) {
  const email = normalizeEmail(typed);
  await using store = await openStore();
  const isKnown = await store.accounts.markEmailVerified(email, origin());
  if (!isKnown) throw unknownAccount(email);
  print(`${email} is verified`);
}

const columns: readonly Column<AccountSummary>[] = [
  ["EMAIL", ({ email }) => email],
  ["PLAN", ({ plan }) => plan],
  ["USED", ({ quota }) => quota.usedUnits, "right"],
  ["LEFT", ({ quota }) => remainingUnits(quota), "right"],
  ["KEYS", ({ activeKeys }) => activeKeys, "right"],
  ["VERIFIED", ({ emailVerifiedAt }) => (emailVerifiedAt === undefined ? "no" : "yes")],
  ["CREATED", ({ createdAt }) => createdAt],
];

function unknownAccount(email: string): CommandError {
  return new CommandError(`there is no account ${email}: see kurs accounts list`);
}
