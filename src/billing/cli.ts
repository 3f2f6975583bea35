import type { Command } from "commander";
import type { CommandIo, OpenStore } from "../cli/command.ts";
import { CommandError, type OutputOptions } from "../cli/command.ts";
import { formatList } from "../cli/output.ts";
import { planJson } from "./json.ts";
import { MAX_PLAN_UNITS } from "./rules.ts";
import type { PlanStore } from "./store.ts";

export interface PlanCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{ readonly plans: PlanStore }>;
}

/** Adds `kurs plans …`. */
export function planCommands(program: Command, deps: PlanCommandDeps): void {
  const plans = program
    .command("plans")
    .description("show and set the plans' units")
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
}

const setExamples = `
If PLAN_FREE_UNITS is set, the server gives the plan "free" that number of units when it starts.

Example:
  $ kurs plans set pro 1000000`;

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
  const unitsPerPeriod = /^[0-9]{1,15}$/.test(units) ? Number.parseInt(units, 10) : -1;
  if (unitsPerPeriod < 0 || unitsPerPeriod > MAX_PLAN_UNITS) {
    const rule = `want a whole number from 0 to ${MAX_PLAN_UNITS}`;
    throw new CommandError(`units ${JSON.stringify(units)}: ${rule}`, 2);
  }
  await using store = await openStore();
  await store.plans.set({ name, unitsPerPeriod }, origin());
  print(`plan ${name} has ${unitsPerPeriod} units per period`);
}
