import { type Figures, ratioOf, rowOf, type Table } from "./figures.ts";
import { type Contestant, playRound, tryOut } from "./round.ts";
import type { Bench, Report } from "./scenario.ts";

/** Both sides compile their hot paths in a round that is not counted. */
const WARM_UP_SECONDS = 2;

export interface Contest {
  /** Connections of each table, unless the command line says others. */
  readonly connections: readonly number[];
  /** The first is the yardstick that the others' ratios are of. */
  readonly contestants: readonly Contestant[];
  /** Further ratios to tell: of the first to the second, by their names. */
  readonly compared?: readonly (readonly [name: string, beside: string])[];
}

/** Loads the contestants in turns, their order reversed every other time: a table a connections. */
export async function hold(bench: Bench, contest: Contest): Promise<Report> {
  const { options } = bench;
  for (const contestant of contest.contestants) await tryOut(contestant);
  const asked = options.connections.length > 0 ? options.connections : contest.connections;
  const tables: Table[] = [];
  const failures: string[] = [];
  for (const connections of asked) {
    const { table, wrong } = await oneTable(bench, contest, connections);
    tables.push(table);
    failures.push(...wrong);
  }
  return { tables, failures };
}

async function oneTable(bench: Bench, contest: Contest, connections: number) {
  const { load, generator, options, print } = bench;
  const { contestants, compared = [] } = contest;
  const { seconds, rounds } = options;
  const played = new Map<Contestant, Figures[]>();
  const wrong: string[] = [];
  for (const contestant of contestants) {
    played.set(contestant, []);
    const { company, ...alone } = contestant;
    await playRound(alone, load, { connections, seconds: Math.min(WARM_UP_SECONDS, seconds) });
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const contestant of round % 2 === 1 ? contestants : contestants.toReversed()) {
      const { figures, words, isRight } = await playRound(contestant, load, {
        connections,
        seconds,
      });
      played.get(contestant)?.push(figures);
      const line = `${connections} connections, round ${round}, ${contestant.name}: ${words}`;
      print(line);
      if (!isRight) wrong.push(line);
    }
  }
  const rows = [...played].map(([{ name }, figures]) => rowOf(name, figures));
  const speedBeside = (name: string, beside: string) =>
    ratioOf(rows, "requestsPerSecond", name, beside);
  const yardstick = contestants[0]?.name ?? "";
  const withRatios = rows.map((row) => {
    return { ...row, figures: { ...row.figures, ratio: speedBeside(row.name, yardstick) } };
  });
  const notes = compared.flatMap(([name, beside]) => {
    const ratio = speedBeside(name, beside);
    return ratio === undefined ? [] : [`${name} : ${beside} = ${ratio.toFixed(3)}`];
  });
  const title = `${generator}, ${connections} connections, ${rounds} x ${seconds} s: medians, and the worst`;
  return { table: { title, rows: withRatios, notes }, wrong };
}
