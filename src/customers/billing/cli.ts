import type { Command } from "commander";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  type OutputOptions,
} from "../../platform/cli/command.ts";
import { formatList } from "../../platform/cli/output.ts";
import { wholeNumber } from "../../platform/cli/whole-number.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { quoted } from "../../platform/shared/text/visible-text.ts";
import { planJson } from "./json.ts";
import { FREE_PLAN, MAX_PLAN_UNITS } from "./rules.ts";
import type { PlanStore, PlanUses } from "./store.ts";

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
    const rule = "want up to 40 lower-case letters, digits and -, a letter first";
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
    throw new CommandError(`the plan ${name} was not deleted, ${reasonOf(outcome)}`);
  }
  print(`plan ${name} is deleted`);
}

/** Names the uses that the operator can end first. */
function reasonOf({ accounts, deletedAccounts, invitations }: PlanUses): string {
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
