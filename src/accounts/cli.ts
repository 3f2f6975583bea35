import type { Command } from "commander";
import { billingPeriodAt, remainingUnits } from "../billing/rules.ts";
import type { PlanStore } from "../billing/store.ts";
import type { CommandIo, OpenStore } from "../cli/command.ts";
import { CommandError, type OutputOptions } from "../cli/command.ts";
import { table } from "../cli/output.ts";
import { normalizeEmail } from "../shared/email.ts";
import { timestamp } from "../shared/instant.ts";
import { accountSummaryJson } from "./json.ts";
import type { AccountStore, AccountSummary } from "./store.ts";

export interface AccountCommandUses extends CommandIo {
  readonly openStore: OpenStore<{ readonly accounts: AccountStore; readonly plans: PlanStore }>;
}

/** Adds `kurs accounts …`. */
export function accountCommands(program: Command, uses: AccountCommandUses): void {
  const accounts = program
    .command("accounts")
    .description("show accounts, change their plan, verify their email")
    .addHelpText("after", "\nExample:\n  $ kurs accounts plan ada@example.org pro");

  accounts
    .command("list")
    .description("show every account with its units in the current billing period")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs accounts list\n  $ kurs accounts list --json")
    .action((options: OutputOptions) => listAccounts(uses, options));

  accounts
    .command("show")
    .description("show one account")
    .argument("<email>")
    .option("--json", "print it as JSON")
    .addHelpText("after", "\nExample:\n  $ kurs accounts show ada@example.org")
    .action((email: string, options: OutputOptions) => showAccount(uses, email, options));

  accounts
    .command("plan")
    .description("move an account to a plan; takes effect with the next read")
    .argument("<email>")
    .argument("<plan>")
    .addHelpText("after", "\nExample:\n  $ kurs accounts plan ada@example.org pro")
    .action((email: string, plan: string) => movePlan(uses, email, plan));

  accounts
    .command("verify")
    .description("mark an account's email as verified, for operators without mail")
    .argument("<email>")
    .addHelpText("after", "\nExample:\n  $ kurs accounts verify ada@example.org")
    .action((email: string) => verifyAccount(uses, email));
}

async function listAccounts(uses: AccountCommandUses, { json }: OutputOptions): Promise<void> {
  await using store = await uses.openStore();
  const accounts = await store.accounts.list(billingPeriodAt(uses.clock.nowMs()).name);
  if (json) return uses.print(JSON.stringify(accounts.map(accountSummaryJson), undefined, 2));
  if (accounts.length === 0) return uses.print("There are no accounts yet.");
  uses.print(accountTable(accounts));
}

async function showAccount(uses: AccountCommandUses, typed: string, { json }: OutputOptions) {
  const email = normalizeEmail(typed);
  await using store = await uses.openStore();
  const [account] = await store.accounts.list(billingPeriodAt(uses.clock.nowMs()).name, email);
  if (account === undefined) throw unknownAccount(email);
  uses.print(
    json ? JSON.stringify(accountSummaryJson(account), undefined, 2) : accountTable([account]),
  );
}

async function movePlan({ openStore, print }: AccountCommandUses, typed: string, plan: string) {
  const email = normalizeEmail(typed);
  await using store = await openStore();
  const plans = (await store.plans.list()).map(({ name }) => name);
  if (!plans.includes(plan)) {
    const known = plans.join(", ");
    throw new CommandError(`there is no plan ${plan}; there are: ${known}. See kurs plans set`);
  }
  if (!(await store.accounts.setPlan(email, plan))) throw unknownAccount(email);
  print(`${email} is on plan ${plan}`);
}

async function verifyAccount({ openStore, clock, print }: AccountCommandUses, typed: string) {
  const email = normalizeEmail(typed);
  await using store = await openStore();
  const isKnown = await store.accounts.markEmailVerified(email, timestamp(clock.nowMs()));
  if (!isKnown) throw unknownAccount(email);
  print(`${email} is verified`);
}

function accountTable(accounts: readonly AccountSummary[]): string {
  const columns = [
    { heading: "EMAIL" },
    { heading: "PLAN" },
    { heading: "USED", align: "right" },
    { heading: "LEFT", align: "right" },
    { heading: "KEYS", align: "right" },
    { heading: "VERIFIED" },
    { heading: "CREATED" },
  ] as const;
  const rows = accounts.map(({ email, plan, quota, activeKeys, emailVerifiedAt, createdAt }) => [
    email,
    plan,
    String(quota.usedUnits),
    String(remainingUnits(quota)),
    String(activeKeys),
    emailVerifiedAt === undefined ? "no" : "yes",
    createdAt,
  ]);
  return table(columns, rows);
}

function unknownAccount(email: string): CommandError {
  return new CommandError(`there is no account ${email}: see kurs accounts list`);
}
