import { type Figures, type Row, ratioOf, rowOf, type Table } from "./figures.ts";
import type { Load } from "./load/generator.ts";
import { probe, type Round, type RoundSettings, runRound, type Target } from "./round.ts";
import type { Bench, Comparison, Report } from "./scenario.ts";

/** Each target compiles its hot path in a round that does not count. */
const WARM_UP_SECONDS = 2;

/** Seen on a machine with a load of 14: no response in a whole second, even of bare node:http. */
const SILENT_ROUNDS_MAX = 3;

/** Loads the targets alternately, every other round in reverse order: a table per connections. */
export async function compare(bench: Bench, comparison: Comparison): Promise<Report> {
  const { options } = bench;
  for (const target of comparison.targets) await probe(target);
  const all = options.connections.length > 0 ? options.connections : comparison.connections;
  const tables: Table[] = [];
  const failures: string[] = [];
  for (const connections of all) {
    const { table, wrong } = await measureTable(bench, comparison, connections);
    tables.push(table);
    failures.push(...wrong);
  }
  return { tables, failures };
}

/** Measures subjects in turn, by their names, in as many rounds as the options say. */
export async function measureInTurn(
  { options }: Bench,
  subjects: Readonly<Record<string, (round: number) => Promise<Figures>>>,
): Promise<Row[]> {
  const measured = Object.entries(subjects).map(([name, measure]) => {
    return { name, measure, rounds: [] as Figures[] };
  });
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const { measure, rounds } of measured) rounds.push(await measure(round));
  }
  return measured.map(({ name, rounds }) => rowOf(name, rounds));
}

/** A round in which the machine gave no process a turn tells nothing: it is repeated. */
async function runAnsweredRound(
  target: Target,
  load: Load,
  settings: RoundSettings,
): Promise<Round> {
  let round = await runRound(target, load, settings);
  for (let silent = 1; round.responses === 0 && silent < SILENT_ROUNDS_MAX; silent += 1) {
    round = await runRound(target, load, settings);
  }
  return round;
}

async function measureTable(bench: Bench, comparison: Comparison, connections: number) {
  const { load, generator, options, print } = bench;
  const { targets, ratios = [] } = comparison;
  const { seconds, rounds } = options;
  const measured = new Map<Target, Figures[]>();
  const wrong: string[] = [];
  for (const target of targets) {
    measured.set(target, []);
    const { startBackground, ...alone } = target;
    await runRound(alone, load, { connections, seconds: Math.min(WARM_UP_SECONDS, seconds) });
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const target of round % 2 === 1 ? targets : targets.toReversed()) {
      const settings = { connections, seconds };
      const { figures, summary, isCorrect } = await runAnsweredRound(target, load, settings);
      measured.get(target)?.push(figures);
      const line = `${connections} connections, round ${round}, ${target.name}: ${summary}`;
      print(line);
      if (!isCorrect) wrong.push(line);
    }
  }
  const rows = [...measured].map(([{ name }, figures]) => rowOf(name, figures));
  const speedRatio = (name: string, other: string) =>
    ratioOf(rows, "requestsPerSecond", name, other);
  const yardstick = targets[0]?.name ?? "";
  const withRatios = rows.map((row) => {
    return { ...row, figures: { ...row.figures, ratio: speedRatio(row.name, yardstick) } };
  });
  const notes = ratios.flatMap(([name, other]) => {
    const ratio = speedRatio(name, other);
    return ratio === undefined ? [] : [`${name} : ${other} = ${ratio.toFixed(3)}`];
  });
  const title = `${generator}, ${connections} connections, ${rounds} x ${seconds} s: medians, and the worst`;
  return { table: { title, rows: withRatios, notes }, wrong };
}
