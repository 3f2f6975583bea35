import { parseArgs } from "node:util";
import { type Figures, type TortureFailure, torture } from "./torture.ts";

// npm run trials -- torture --engine postgres --minutes 10: kills on a store, drawn from a seed that
// repeats them. --rounds R: exactly this many; --from R: the first one; --nodes N: on PostgreSQL.

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    minutes: { type: "string", default: "1" },
    rounds: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    from: { type: "string", default: "1" },
    nodes: { type: "string", default: "2" },
  },
});

const { engine } = values;
if (engine !== "sqlite" && engine !== "postgres") {
  throw new Error(`--engine: must be sqlite or postgres, not ${engine}`);
}
const untilMs = performance.now() + positive("minutes") * 60_000;
const rounds = values.rounds === undefined ? Number.POSITIVE_INFINITY : positive("rounds");
const settings = {
  engine,
  seed: Number(values.seed),
  from: positive("from"),
  nodes: engine === "sqlite" ? 1 : positive("nodes"),
} as const;
console.log(`seed ${settings.seed} on ${engine}, nodes: ${settings.nodes}`);
const goesOn = (done: number) =>
  done < rounds && (values.rounds !== undefined || performance.now() < untilMs);
const figures = await torture({ ...settings, goesOn, onRound: (line) => console.log(line) });
console.log(`\n${tellFigures(figures)}`);
if (figures.failure !== undefined) {
  console.error(`\n${tellFailure(figures.failure)}`);
  process.exitCode = 1;
}

function positive(name: "minutes" | "rounds" | "from" | "nodes"): number {
  const value = Number(values[name]);
  if (!(value > 0 && value < Number.POSITIVE_INFINITY)) {
    throw new Error(`--${name}: must be a number above 0`);
  }
  return value;
}

/** The figures of a run as text. */
function tellFigures(figures: Figures): string {
  const { rounds, kills, requests, answers, chargedAnswers, inDoubt, starts, lost } = figures;
  const { recoverySecondsMax, recoverySecondsMedian, done } = figures;
  return [
    `${rounds} rounds, ${kills} kills`,
    `${requests} requests, ${answers} responses, ${chargedAnswers} of them charged`,
    `${inDoubt} reads in doubt`,
    `${starts} starts; to the first 200 at most ${recoverySecondsMax.toFixed(2)} s, ` +
      `in the median ${recoverySecondsMedian.toFixed(2)} s`,
    ...Object.entries(done).map(([what, times]) => `  ${what}: ${times}`),
    `lost: ${lost}`,
  ].join("\n");
}

/** What is wrong, what led to it, and how to repeat it. */
function tellFailure({ round, complaints, plan, story }: TortureFailure): string {
  const { seed, nodes, from } = settings;
  const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`).join("\n");
  const on = engine === "sqlite" ? engine : `${engine} --nodes ${nodes}`;
  const again = `npm run trials -- torture --engine ${on} --seed ${seed}`;
  return [
    `WRONG in round ${round} of seed ${seed} on ${engine}:\n${indented(complaints)}`,
    `the plan of the round: ${JSON.stringify(plan, undefined, 2)}`,
    `its events:\n${indented(story)}`,
    `repeat from the start: ${again} --from ${from} --rounds ${round - from + 1}`,
    `only that round:       ${again} --from ${round} --rounds 1`,
  ].join("\n");
}
