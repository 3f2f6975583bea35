import type { Command } from "commander";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  type OutputOptions,
  unknownAccount,
} from "../../platform/cli/command.ts";
import { parseFutureMoment } from "../../platform/cli/dates.ts";
import { type Column, formatJson, formatList, table } from "../../platform/cli/output.ts";
import { visibleText } from "../../platform/cli/visible-text.ts";
import { wholeNumber } from "../../platform/cli/whole-number.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { normalizeEmail } from "../../platform/shared/text/email.ts";
import { quoted } from "../../platform/shared/text/visible-text.ts";
import { isUuid } from "../../platform/shared/uuid.ts";
import { requirePlan } from "../billing/cli.ts";
import { MAX_PLAN_UNITS, remainingUnits } from "../billing/rules.ts";
import type { PlanStore } from "../billing/store.ts";
import { accountSummaryJson } from "./json.ts";
import type { AccountStore, AccountSummary } from "./store.ts";

export interface AccountCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{ readonly accounts: AccountStore; readonly plans: PlanStore }>;
}

/** Adds `kurs accounts`, to which other features add commands. */
export function accountCommands(program: Command, deps: AccountCommandDeps): Command {
  const accounts = program
    .command("accounts")
    .description("show accounts and change them")
    .addHelpText("after", "\nExample:\n  $ kurs accounts plan ada@example.org pro");

  accounts
    .command("list")
    .description("show a page of accounts, oldest first, with their units in the current period")
    .option("--limit <n>", `accounts on the page, 1 to ${PAGE_ACCOUNTS_MAX}`, String(PAGE_ACCOUNTS))
    .option("--after <id>", "start after the account of this id (default: from the first)")
    .option("--json", "print the page as JSON")
    .addHelpText("after", listExamples)
    .action((options: ListOptions) => listAccounts(deps, options));

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
    .command("quota")
    .description("give an account a quota of its own; takes effect with the next read")
    .argument("<email>")
    .argument("<units|plan>", "units per billing period; plan: those of its plan again")
    .option("--until <date>", "until the start of this day in UTC, or an RFC 3339 time")
    .addHelpText("after", quotaHelp)
    .action((email: string, units: string, options: { readonly until?: string }) =>
      setQuota(deps, email, units, options.until),
    );

  accounts
    .command("customer")
    .description("set an account's customer number, which kurs usage export prints")
    .argument("<email>")
    .argument("<number|none>", `up to ${CUSTOMER_NUMBER_MAX} visible characters; none: remove it`)
    .addHelpText("after", customerHelp)
    .action((email: string, number: string) => setCustomerNumber(deps, email, number));

  accounts
    .command("verify")
    .description("mark an account's email as verified, for operators without mail")
    .argument("<email>")
    .addHelpText("after", "\nExample:\n  $ kurs accounts verify ada@example.org")
    .action((email: string) => verifyAccount(deps, email));

  accounts
    .command("quota-mails")
    .description("turn an account's mails about thresholds of its usage on or off")
    .argument("<email>")
    .argument("<on|off>")
    .addHelpText("after", "\nExample:\n  $ kurs accounts quota-mails ada@example.org off")
    .action((email: string, state: string) => setQuotaMails(deps, email, state));

  return accounts;
}

const CUSTOMER_NUMBER_MAX = 64;

const quotaHelp = `
From its end on, the plan's quota counts again.

Examples:
  $ kurs accounts quota ada@example.org 25000
  $ kurs accounts quota ada@example.org 25000 --until 2026-12-31
  $ kurs accounts quota ada@example.org plan`;

const customerHelp = `
It is kept for invoices when the account is deleted.

Examples:
  $ kurs accounts customer ada@example.org K-1001
  $ kurs accounts customer ada@example.org none`;

const PAGE_ACCOUNTS = 100;

/** With a million accounts a page of this size is read in 15 ms. */
const PAGE_ACCOUNTS_MAX = 1000;

const listExamples = `
When there are more accounts, the last line (on stderr) is the command that shows the next page. The
next page of a program starts after the last id that it got; its last page has fewer than --limit.

Examples:
  $ kurs accounts list
  $ kurs accounts list --limit 1000 --json
  $ kurs accounts list --after 01a1fc7c-4ab2-7000-8000-000000000001`;

interface ListOptions extends OutputOptions {
  readonly limit: string;
  readonly after?: string;
}

async function listAccounts(deps: AccountCommandDeps, options: ListOptions): Promise<void> {
  const limit = wholeNumber("--limit", options.limit, 1, PAGE_ACCOUNTS_MAX);
  const after = options.after === undefined ? "" : accountIdOf(options.after);
  await using store = await deps.openStore();
  const now = timestamp(deps.clock.nowMs());
  // One more account tells whether there is another page.
  const found = await store.accounts.list(now, after, limit + 1);
  const page = found.slice(0, limit);
  const none = after === "" ? "There are no accounts yet." : `No account follows ${after}.`;
  deps.print(formatList(page, options, { toJson: accountSummaryJson, columns, none }));
  const last = page.at(-1);
  if (last === undefined || found.length === page.length) return;
  const size = limit === PAGE_ACCOUNTS ? "" : ` --limit ${limit}`;
  const form = options.json ? " --json" : "";
  deps.printError(`More: kurs accounts list${size}${form} --after ${last.id}`);
}

/** @throws {CommandError} */
function accountIdOf(text: string): string {
  const id = text.toLowerCase();
  if (isUuid(id)) return id;
  const rule = "must be the id of an account, as kurs accounts list --json shows it";
  throw new CommandError(`--after ${quoted(text)}: ${rule}`, 2);
}

async function showAccount(deps: AccountCommandDeps, typed: string, { json }: OutputOptions) {
  const email = normalizeEmail(typed);
  await using store = await deps.openStore();
  const now = timestamp(deps.clock.nowMs());
  const account = await store.accounts.summarize(now, email);
  if (account === undefined) throw unknownAccount(email);
  if (json) return deps.print(formatJson(accountSummaryJson(account)));
  const { units, until } = account.ownQuota ?? {};
  const isInEffect = units !== undefined && (until === undefined || until > now);
  const end = until === undefined ? "" : ` until ${until}`;
  const own: Column<AccountSummary> = ["OWN QUOTA", () => `${units}${end}`];
  deps.print(table(isInEffect ? [...columns, own] : columns, [account]));
}

async function movePlan(deps: AccountCommandDeps, typed: string, plan: string) {
  const { openStore, origin, print } = deps;
  const email = normalizeEmail(typed);
  await using store = await openStore();
  await requirePlan(store.plans, plan);
  if (!(await store.accounts.setPlan(email, plan, origin()))) throw unknownAccount(email);
  print(`${email} is on plan ${plan}`);
}

async function setQuota(
  { openStore, clock, origin, print }: AccountCommandDeps,
  typed: string,
  units: string,
  untilTyped: string | undefined,
): Promise<void> {
  const email = normalizeEmail(typed);
  if (units === "plan" && untilTyped !== undefined) {
    throw new CommandError("--until is the end of an account's own quota: plan has none", 2);
  }
  const until =
    untilTyped === undefined ? undefined : parseFutureMoment("--until", untilTyped, clock.nowMs());
  const quota =
    units === "plan" ? undefined : { units: wholeNumber("units", units, 0, MAX_PLAN_UNITS), until };
  await using store = await openStore();
  if (!(await store.accounts.setQuota(email, quota, origin()))) throw unknownAccount(email);
  const end = quota?.until === undefined ? "" : `, until ${quota.until}`;
  print(
    quota === undefined
      ? `${email} has the quota of its plan`
      : `${email} has ${counted(quota.units, "unit")} per period${end}`,
  );
}

async function setCustomerNumber(deps: AccountCommandDeps, typed: string, text: string) {
  const { openStore, origin, print } = deps;
  const email = normalizeEmail(typed);
  const isNone = text === "none";
  const number = isNone ? undefined : visibleText("number", text, CUSTOMER_NUMBER_MAX);
  await using store = await openStore();
  const isKnown = await store.accounts.setCustomerNumber(email, number, origin());
  if (!isKnown) throw unknownAccount(email);
  print(isNone ? `${email} has no customer number` : `${email} has the customer number ${number}`);
}

async function verifyAccount({ openStore, origin, print }: AccountCommandDeps, typed: string) {
  const email = normalizeEmail(typed);
  await using store = await openStore();
  const isKnown = await store.accounts.markEmailVerified(email, origin());
  if (!isKnown) throw unknownAccount(email);
  print(`${email} is verified`);
}

async function setQuotaMails(deps: AccountCommandDeps, typed: string, state: string) {
  const { openStore, origin, print } = deps;
  if (state !== "on" && state !== "off") {
    throw new CommandError(`${quoted(state)}: must be on or off`, 2);
  }
  const email = normalizeEmail(typed);
  await using store = await openStore();
  const account = await store.accounts.findByEmail(email);
  if (account === undefined) throw unknownAccount(email);
  await store.accounts.setQuotaMails(account.id, state === "on", origin());
  print(`${email} gets ${state === "on" ? "mails" : "no mails"} about thresholds of its usage`);
}

const columns: readonly Column<AccountSummary>[] = [
  ["EMAIL", ({ email }) => email],
  ["PLAN", ({ plan }) => plan],
  ["USED", ({ quota }) => quota.usedUnits, "right"],
  ["LEFT", ({ quota }) => remainingUnits(quota), "right"],
  ["KEYS", ({ activeKeys }) => activeKeys, "right"],
  ["VERIFIED", ({ emailVerifiedAt }) => (emailVerifiedAt === undefined ? "no" : "yes")],
  ["SUSPENDED", ({ suspendedAt }) => (suspendedAt === undefined ? "no" : "yes")],
  ["CREATED", ({ createdAt }) => createdAt],
];
