import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Program } from "../../test/support/process.ts";
import { keepOnly } from "../support/ledger.ts";
import { Violation } from "./event-log.ts";
import type { CommandPlan, ImportPlan } from "./plan.ts";
import { IMPORTED_PAIRS, rateFile } from "./rates.ts";
import type { Round } from "./round.ts";

// The operator's commands during the load: each is a separate process on the store.

export function planNamed(index: number): string {
  return `plan-${index}`;
}

/** Imports rates, to the end or until it is killed. */
export async function importRates(
  round: Round,
  { killedAfterAnswers }: Pick<ImportPlan, "killedAfterAnswers">,
): Promise<void> {
  const { ledger, store, story, answers, counts, nodes } = round;
  const { dataDirectory, env } = store;
  ledger.imports.begun = ledger.imports.done + 1;
  const number = ledger.imports.begun;
  const file = join(dataDirectory, "import.csv");
  await writeFile(file, rateFile(number));
  story.tell(`import ${number} begins`);
  await using program = new Program(["rates", "import", file], { dataDirectory, env });
  if (killedAfterAnswers !== undefined) {
    const killed = answers.reached(answers.total + killedAfterAnswers);
    await Promise.race([killed, program.ended]);
    program.signal("SIGKILL");
  }
  const { exitCode, stdout, stderr } = await program.end();
  if (exitCode === null) {
    nodes.kills += 1;
    story.tell(`import ${number} was killed`);
    return;
  }
  // A repeated import finds the rates that the killed one had stored.
  const [, stored, unchanged] =
    /^stored (\d+), unchanged (\d+), held 0, rejected 0\n$/.exec(stdout) ?? [];
  if (exitCode !== 0 || Number(stored) + Number(unchanged) !== IMPORTED_PAIRS) {
    throw new Violation(`import ${number} ended with ${exitCode}: ${stdout}${stderr}`);
  }
  ledger.imports.done = number;
  counts.add("imports");
  story.tell(`import ${number} is done`);
}

/** At most: an account that was granted more would not use it up. */
const GRANTED_MAX = 300;

/** Each grant has a reference of its own. */
let grants = 0;

/** Sets a plan's units, moves an account or grants it units, to the end or until it is killed. */
export async function runCommand(round: Round, plan: CommandPlan): Promise<void> {
  const { ledger, story } = round;
  const reader = ledger.readers[plan.customer];
  const name = planNamed(plan.plan);
  if (reader === undefined) throw new Error(`no reader ${plan.customer}`);
  if (plan.kind === "move") {
    const before = [...reader.plans];
    const args = ["accounts", "plan", reader.email, name];
    ledger.beginChange(() => reader.plans.add(name));
    const isDone = await run(round, args, plan.killedAt);
    if (isDone) ledger.settleChange(() => keepOnly(reader.plans, name));
    story.tell(`${reader.email}: moved from ${before} to ${name}: ${isDone ? "done" : "killed"}`);
    return;
  }
  if (plan.kind === "grant") {
    const units = 1 + (plan.moreUnits % GRANTED_MAX);
    const { granted } = reader;
    const after = [...granted].map((before) => before + units);
    grants += 1;
    const reference = `invoice ${grants}`;
    const args = ["units", "grant", reader.email, String(units), "--reference", reference];
    ledger.beginChange(() => {
      for (const each of after) granted.add(each);
    });
    const isDone = await run(round, args, plan.killedAt);
    if (isDone) {
      ledger.settleChange(() => {
        granted.clear();
        for (const each of after) granted.add(each);
      });
    }
    story.tell(`${reader.email}: ${units} units are granted: ${isDone ? "done" : "killed"}`);
    return;
  }
  const onIt = [...ledger.accounts.values()].filter(({ plans }) => plans.has(name));
  const sentUnits = Math.max(0, ...onIt.map((customer) => customer.sentUnits));
  const units = sentUnits + plan.moreUnits;
  const quotas = ledger.plans.get(name) ?? new Set();
  ledger.beginChange(() => quotas.add(units));
  const isDone = await run(round, ["plans", "set", name, String(units)], plan.killedAt);
  if (isDone) ledger.settleChange(() => keepOnly(quotas, units));
  const emails = onIt.map(({ email }) => email).join(", ");
  story.tell(`${name} (${emails}) has ${units} units: ${isDone ? "done" : "killed"}`);
}

async function run(
  { nodes, store, counts }: Round,
  args: readonly string[],
  killedAt: CommandPlan["killedAt"],
): Promise<boolean> {
  counts.add(args.slice(0, 2).join(" "));
  if (killedAt !== undefined) return await nodes.runAndKill(args, killedAt);
  const { dataDirectory, env } = store;
  await using program = new Program(args, { dataDirectory, env });
  const { exitCode, stderr } = await program.end();
  if (exitCode !== 0) throw new Violation(`${args.join(" ")} ended with ${exitCode}: ${stderr}`);
  return true;
}
