import { type Command, Option } from "commander";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  type OutputOptions,
} from "../../platform/cli/command.ts";
import { writeList } from "../../platform/cli/list-writer.ts";
import { formatList } from "../../platform/cli/output.ts";
import { wholeNumber } from "../../platform/cli/whole-number.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { quoted } from "../../platform/shared/text/visible-text.ts";
import { accountUnitsJson, keyUnitsJson, planJson } from "./json.ts";
import {
  type BillingPeriod,
  billingPeriodAt,
  FREE_PLAN,
  MAX_PLAN_UNITS,
  parseBillingPeriod,
} from "./rules.ts";
import type { PlanStore, PlanUses, UsageStore } from "./store.ts";
import { readUnitsByAccount, readUnitsByKeyAndDay } from "./usage.ts";

export interface PlanCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{ readonly plans: PlanStore }>;
}

/** Adds `kurs plans …`. */
export function planCommands(program: Command, deps: PlanCommandDeps): void {
  const plans = program
    .command("plans")
    .description("show, set and delete plans")
    .addHelpText("after", "\nExample:\n  $ kurs plans set pro 1000000");

  plans
    .command("list")
    .description("show every plan")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs plans list\n  $ kurs plans list --json")
    .action((options: OutputOptions) => listPlans(deps, options));

  plans
    .command("set")
    .description("add a plan, or change its units; takes effect with the next read")
    .argument("<name>", "lower-case letters, digits and -")
    .argument("<units>", "units per billing period")
    .addHelpText("after", setExamples)
    .action((name: string, units: string) => setPlan(deps, name, units));

  plans
    .command("delete")
    .description("delete a plan that no account is on")
    .argument("<name>")
    .addHelpText("after", deleteExamples)
    .action((name: string) => deletePlan(deps, name));
}

const setExamples = `
If PLAN_FREE_UNITS is set, the server gives the plan "free" that number of units when it starts.

Example:
  $ kurs plans set pro 1000000`;

const deleteExamples = `
The plan "free" stays: new accounts start on it.

Example:
  $ kurs plans delete pro`;

async function listPlans({ openStore, print }: PlanCommandDeps, options: OutputOptions) {
  await using store = await openStore();
  const text = formatList(await store.plans.list(), options, {
    toJson: planJson,
    columns: [
      ["PLAN", ({ name }) => name],
      ["UNITS PER PERIOD", ({ unitsPerPeriod }) => unitsPerPeriod, "right"],
    ],
    none: "There are no plans.",
  });
  print(text);
}

async function setPlan(deps: PlanCommandDeps, name: string, units: string) {
  const { openStore, origin, print } = deps;
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
    const rule = "must be up to 40 lower-case letters, digits and -, a letter first";
    throw new CommandError(`plan ${JSON.stringify(name)}: ${rule}`, 2);
  }
  const unitsPerPeriod = wholeNumber("units", units, 0, MAX_PLAN_UNITS);
  await using store = await openStore();
  await store.plans.set({ name, unitsPerPeriod }, origin());
  print(`plan ${name} has ${counted(unitsPerPeriod, "unit")} per period`);
}

/** What uses a plan is counted no further: the message says "1000 or more". */
const USES_COUNTED_MAX = 1000;

async function deletePlan({ openStore, origin, print }: PlanCommandDeps, name: string) {
  if (name === FREE_PLAN) {
    throw new CommandError(`the plan ${name} cannot be deleted: new accounts start on it`);
  }
  await using store = await openStore();
  const outcome = await store.plans.remove(name, USES_COUNTED_MAX, origin());
  if (outcome === "unknown") {
    const known = (await store.plans.list()).map((plan) => plan.name).join(", ");
    throw new CommandError(`there is no plan ${quoted(name)}; there are: ${known}`);
  }
  if (outcome !== "removed") {
    throw new CommandError(`the plan ${name} was not deleted, ${explainUses(outcome)}`);
  }
  print(`plan ${name} is deleted`);
}

/** Names the uses that the operator can end first. */
function explainUses({ accounts, deletedAccounts, invitations }: PlanUses): string {
  if (accounts > 0) {
    const advice = "move each to another plan: kurs accounts plan EMAIL PLAN";
    return `${used(accounts, "account")} on it; ${advice}`;
  }
  if (invitations > 0) {
    return `${used(invitations, "invitation")} to it; they end within seven days`;
  }
  return `${used(deletedAccounts, "deleted account")} on it, whose units are kept for billing`;
}

function used(count: number, noun: string): string {
  if (count >= USES_COUNTED_MAX) return `${USES_COUNTED_MAX} or more ${noun}s are`;
  return `${counted(count, noun)} ${count === 1 ? "is" : "are"}`;
}

/** @throws {CommandError} when there is no such plan. */
export async function requirePlan(plans: PlanStore, plan: string): Promise<void> {
  const names = (await plans.list()).map(({ name }) => name);
  if (names.includes(plan)) return;
  const known = names.join(", ");
  throw new CommandError(`there is no plan ${plan}; there are: ${known}. See kurs plans set`);
}

export interface UsageCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{ readonly usage: UsageStore }>;
}

interface ExportOptions {
  readonly period?: string;
  readonly format: "csv" | "ndjson";
  readonly perKeyAndDay?: boolean;
}

/** Adds `kurs usage …`. */
export function usageCommands(program: Command, deps: UsageCommandDeps): void {
  program
    .command("usage")
    .description("export the units that accounts have used")
    .addHelpText("after", "\nExample:\n  $ kurs usage export --period 2026-11 > usage.csv")
    .command("export")
    .description("write every account's units in a billing period to stdout, for invoices")
    .option("--period <month>", "a month in UTC, such as 2026-11 (default: the current one)")
    .addOption(
      new Option("--format <format>", "one line for each row").choices(formats).default("csv"),
    )
    .option("--per-key-and-day", "one row for each API key and UTC day that has units")
    .addHelpText("after", exportExamples)
    .action((options: ExportOptions) => exportUsage(deps, options));
}

const formats = ["csv", "ndjson"] as const;

const exportExamples = `
Every account that was created before the period's end has a row, ordered by the account's id; with
--per-key-and-day only accounts with units have rows. Plan and quota are those at the period's end,
if they were changed with this version of Kurs or a later one. Of the units, plan_units came from
the quota, and granted_units from grants, whose references follow. Charges continue while the period
lasts, so write invoices from a period that has ended. Exit code 1 when the output is not complete.

In CSV an apostrophe precedes a text that a spreadsheet would run as a formula; NDJSON has every
text as it is.

Examples:
  $ kurs usage export --period 2026-11 > usage.csv
  $ kurs usage export --period 2026-11 --format ndjson --per-key-and-day`;

const accountColumns = [
  "account_id",
  "email",
  "plan",
  "quota_units",
  "units",
  "plan_units",
  "granted_units",
  "references",
  "customer_number",
] as const;

const keyColumns = [
  "account_id",
  "email",
  "plan",
  "date",
  "api_key_id",
  "key_prefix",
  "units",
  "customer_number",
] as const;

async function exportUsage(deps: UsageCommandDeps, options: ExportOptions): Promise<void> {
  const { openStore, clock, write } = deps;
  const period = periodOf(options.period, clock.nowMs());
  const { format } = options;
  await using store = await openStore();
  if (options.perKeyAndDay) {
    const pages = readUnitsByKeyAndDay(store, period);
    const rows = { columns: [], csvColumns: keyColumns, toJson: keyUnitsJson };
    await writeList(pages, { format }, rows, write);
  } else {
    const pages = readUnitsByAccount(store, period);
    const rows = { columns: [], csvColumns: accountColumns, toJson: accountUnitsJson };
    await writeList(pages, { format }, rows, write);
  }
}

/** @throws {CommandError} the period's name is invalid, or the period has not begun. */
function periodOf(name: string | undefined, nowMs: number): BillingPeriod {
  const current = billingPeriodAt(nowMs);
  if (name === undefined) return current;
  const period = parseBillingPeriod(name);
  if (period === undefined) {
    const rule = `must be a month as YYYY-MM, such as ${current.name}`;
    throw new CommandError(`--period ${quoted(name)}: ${rule}`, 2);
  }
  if (period.startMs > nowMs) {
    const rule = `this period has not begun; the current one is ${current.name}`;
    throw new CommandError(`--period ${name}: ${rule}`, 2);
  }
  return period;
}
