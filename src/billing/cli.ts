import type { Command } from "commander";
import type { CommandIo, OpenStore } from "../cli/command.ts";
import { CommandError, type OutputOptions } from "../cli/command.ts";
import { formatList } from "../cli/output.ts";
import { quoted } from "../shared/visible-text.ts";
import { planJson } from "./json.ts";
import { FREE_PLAN, MAX_PLAN_UNITS } from "./rules.ts";
import type { PlanStore } from "./store.ts";

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

async function setPlan({ openStore, print }: PlanCommandDeps, name: string, units: string) {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
    const rule = "want up to 40 lower-case letters, digits and -, a letter first";
    throw new CommandError(`plan ${JSON.stringify(name)}: ${rule}`, 2);
  }
  const unitsPerPeriod = /^[0-9]{1,15}$/.test(units) ? Number.parseInt(units, 10) : -1;
  if (unitsPerPeriod < 0 || unitsPerPeriod > MAX_PLAN_UNITS) {
    const rule = `want a whole number from 0 to ${MAX_PLAN_UNITS}`;
    throw new CommandError(`units ${JSON.stringify(units)}: ${rule}`, 2);
  }
  await using store = await openStore();
  await store.plans.set({ name, unitsPerPeriod });
  print(`plan ${name} has ${unitsPerPeriod} units per period`);
}

/** Accounts on a plan are counted no further: the message says "1000 or more". */
const ACCOUNTS_COUNTED_MAX = 1000;

async function deletePlan({ openStore, print }: PlanCommandDeps, name: string) {
  if (name === FREE_PLAN) {
    throw new CommandError(`the plan ${name} cannot be deleted: new accounts start on it`);
  }
  await using store = await openStore();
  const outcome = await store.plans.remove(name, ACCOUNTS_COUNTED_MAX);
  if (outcome === "unknown") {
    const known = (await store.plans.list()).map((plan) => plan.name).join(", ");
    throw new CommandError(`there is no plan ${quoted(name)}; there are: ${known}`);
  }
  if (outcome !== "removed") {
    const count = outcome < ACCOUNTS_COUNTED_MAX ? outcome : `${ACCOUNTS_COUNTED_MAX} or more`;
    const accounts = outcome === 1 ? "1 account is" : `${count} accounts are`;
    const advice = "move each to another plan: kurs accounts plan EMAIL PLAN";
    throw new CommandError(`the plan ${name} was not deleted, ${accounts} on it; ${advice}`);
  }
  print(`plan ${name} is deleted`);
}
