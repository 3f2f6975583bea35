import { inspect } from "node:util";
import fc from "fast-check";
import type { Theatre } from "./service-under-test.ts";
import type { Step } from "./step.ts";
import { audit, type Beginning, begin, someBeginning, someSteps } from "./stories.ts";

export interface Budget {
  readonly seed: number;
  /** The most stories to play. */
  readonly stories: number;
  /** No story begins once it says so; by default it never does. */
  readonly isOver?: () => boolean;
  /** The place of a failure, from its report. */
  readonly path?: string | undefined;
  readonly replay?: string | undefined;
}

export interface Played {
  readonly stories: number;
  /** The story of a failure, its reason, and how to replay it. */
  readonly failure: string | undefined;
}

/** Stories per seed; the next ones use the next seed. */
const ROUND = 50;

/** Stories that are tried to make a failing one shorter. */
const SHRINKINGS_MAX = 300;

/** Plays stories on a service and compares every response with the model. */
export async function play(theatre: Theatre, engine: string, budget: Budget): Promise<Played> {
  let stories = 0;
  let hasFailed = false;
  let shrunk = 0;
  const isOver = () => (hasFailed ? shrunk > SHRINKINGS_MAX : budget.isOver?.() === true);

  const playOne = async (beginning: Beginning, steps: Steps): Promise<void> => {
    // A story always runs to its end: otherwise it would continue during the next one.
    if (isOver()) return;
    if (hasFailed) shrunk += 1;
    const stage = theatre.nextStage();
    try {
      const model = await begin(beginning, stage);
      await fc.asyncModelRun(() => ({ model, real: stage }), steps);
      await audit(model, stage);
      if (!hasFailed) stories += 1;
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };

  for (let seed = budget.seed; stories < budget.stories && !isOver(); seed += 1) {
    const { path, replay } = budget;
    const property = fc.asyncProperty(someBeginning, someSteps(replay), playOne);
    const numRuns = path === undefined ? Math.min(ROUND, budget.stories - stories) : 1;
    const from = path === undefined ? {} : { path };
    const details = await fc.check(property, { seed, numRuns, ...from });
    if (details.failed) {
      return { stories, failure: describe(details, engine, stories) };
    }
    if (path !== undefined) break;
  }
  return { stories, failure: undefined };
}

type Steps = Iterable<Step>;

type Details = fc.RunDetails<[Beginning, Steps]>;

function describe(details: Details, engine: string, before: number): string {
  const { counterexample, counterexamplePath, seed, numShrinks, errorInstance } = details;
  const [beginning, steps] = counterexample ?? [];
  const text = String(steps);
  const replay = /replayPath="([^"]*)"/.exec(text)?.[1] ?? "";
  const story = text.replace(/\s*\/\*replayPath.*\*\//, "");
  return [
    `after ${before} stories as modelled on ${engine}, one differs from the model,`,
    `shrunk ${numShrinks} times:`,
    `  ${beginning}${story}`,
    "",
    inspect(errorInstance),
    "",
    "replay: npm run trials -- model " +
      `--engine ${engine} --seed ${seed} --path "${counterexamplePath}" --replay "${replay}"`,
  ].join("\n");
}
