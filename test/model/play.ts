import fc from "fast-check";
import { audit, type Beginning, begin, someBeginning, someSteps } from "./stories.ts";
import type { Theatre } from "./theatre.ts";

export interface Budget {
  readonly seed: number;
  /** At most so many stories. */
  readonly runs: number;
  /** No further story, or shrinking of one, begins after this time. */
  readonly limitMs: number;
  /** Where a failure was, as its report says. */
  readonly path?: string | undefined;
  readonly replay?: string | undefined;
}

export interface Played {
  readonly runs: number;
  /** The story of a failure, why it is one, and how to see it again. */
  readonly failure: string | undefined;
}

/** Plays stories on a service and holds every answer to the model's. */
export async function play(theatre: Theatre, engine: string, budget: Budget): Promise<Played> {
  const { seed, runs, limitMs, path, replay } = budget;
  const property = fc.asyncProperty(someBeginning, someSteps(replay), async (beginning, steps) => {
    const stage = theatre.nextStage();
    const model = await begin(beginning, stage);
    await fc.asyncModelRun(() => ({ model, real: stage }), steps);
    await audit(model, stage);
  });
  const details = await fc.check(property, {
    seed,
    numRuns: runs,
    interruptAfterTimeLimit: limitMs,
    ...(path === undefined ? {} : { path }),
  });
  const failure =
    details.failed && details.counterexample !== null ? tell(details, engine) : undefined;
  return { runs: details.numRuns, failure };
}

type Details = fc.RunDetails<[Beginning, Iterable<fc.AsyncCommand<never, never>>]>;

function tell(details: Details, engine: string): string {
  const { counterexample, counterexamplePath, seed, numRuns, numShrinks, errorInstance } = details;
  const [beginning, steps] = counterexample ?? [];
  const told = String(steps);
  const replay = /replayPath="([^"]*)"/.exec(told)?.[1] ?? "";
  const story = told.replace(/\/\*replayPath.*\*\//, "");
  const why = errorInstance instanceof Error ? errorInstance.stack : String(errorInstance);
  return [
    `story ${numRuns} on ${engine}, shrunk ${numShrinks} times, is not as the model has it:`,
    `  ${beginning}${story}`,
    "",
    `${why}`,
    "",
    "again: npm run model -- " +
      `--engine ${engine} --seed ${seed} --path "${counterexamplePath}" --replay "${replay}"`,
  ].join("\n");
}
