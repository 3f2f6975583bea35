import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { parseWholeNumber } from "../../src/shared/text/whole-number.ts";
import type { EngineName } from "./plan.ts";
import { tellFailure, tellFigures } from "./report.ts";
import { torture } from "./torture.ts";

// `npm run trials -- torture --minutes 10 --engine postgres`: see USAGE.

const USAGE = `npm run trials -- torture [options]
  --engine sqlite|postgres   the store (sqlite)
  --minutes N                no round begins after this time (1)
  --rounds R                 exactly this many rounds
  --seed S                   seed of the random choices; a seed repeats its rounds
  --from R                   the first round of the seed (1)
  --nodes N                  nodes on PostgreSQL, 2 or more (2)
  --answers N                at most this many responses before a kill (4000)
  --json FILE                also writes the figures to this file`;

const WRONG_USE = 2;

class WrongUse extends Error {}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof WrongUse)) throw error;
  console.error(`torture: ${error.message}\n\n${USAGE}`);
  process.exitCode = WRONG_USE;
}

async function main(): Promise<number> {
  const values = parsed();
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const engine = values.engine as EngineName;
  if (engine !== "sqlite" && engine !== "postgres")
    throw new WrongUse("--engine: want sqlite or postgres");
  const minutes = positive("minutes", values.minutes ?? "1");
  const rounds = values.rounds === undefined ? undefined : whole("rounds", values.rounds);
  const nodes = engine === "sqlite" ? 1 : whole("nodes", values.nodes, 2);
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : whole("seed", values.seed, 0);
  const from = whole("from", values.from);
  const answersMax = whole("answers", values.answers, 100);
  const untilMs = performance.now() + minutes * 60_000;
  const goesOn = (done: number) =>
    rounds === undefined ? performance.now() < untilMs : done < rounds;
  console.log(`seed ${seed} on ${engine}, ${nodes === 1 ? "one node" : `${nodes} nodes`}`);
  const settings = { engine, seed, from, nodes, answersMax, readers: 6 };
  const figures = await torture({ ...settings, goesOn, onRound: (line) => console.log(line) });
  console.log(`\n${tellFigures(figures)}`);
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify({ ...settings, ...figures }, null, 2)}\n`);
  }
  if (figures.failure === undefined) return 0;
  console.error(`\n${tellFailure(figures.failure, settings)}`);
  return 1;
}

function parsed() {
  try {
    return parseArgs({
      options: {
        engine: { type: "string", default: "sqlite" },
        minutes: { type: "string" },
        rounds: { type: "string" },
        seed: { type: "string" },
        from: { type: "string", default: "1" },
        nodes: { type: "string", default: "2" },
        answers: { type: "string", default: "4000" },
        json: { type: "string" },
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

function whole(name: string, text: string, least = 1): number {
  const value = parseWholeNumber(text, least, Number.MAX_SAFE_INTEGER);
  if (value === undefined) {
    throw new WrongUse(`--${name}: want a whole number, ${least} or more`);
  }
  return value;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new WrongUse(`--${name}: want more than 0`);
  return value;
}
