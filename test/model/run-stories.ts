import { inspect } from "node:util";
import fc from "fast-check";
import { MailBook } from "./expected-mails.ts";
import type { Theatre } from "./service-under-test.ts";
import type { Step } from "./step.ts";
import { audit, type Beginning, begin, someBeginning, someSteps } from "./stories.ts";

export interface Budget {
  readonly seed: number;
  /** At most so many stories. */
  readonly stories: number;
  /** No further story begins after this time, when some have been played. */
  readonly limitMs: number;
  /** Where a failure was, as its report says. */
  readonly path?: string | undefined;
  readonly replay?: string | undefined;
}

export interface Played {
  readonly stories: number;
  readonly mails: number;
  /** The story of a failure, why it is one, and how to see it again. */
  readonly failure: string | undefined;
}

/** Stories of one seed; the next ones have the next seed. */
const ROUND = 50;

/** However slow the machine: so many try nearly every kind of step. */
const STORIES_MIN = 5;

/** A failure is made shorter for so long. */
const SHRINKING_MS = 30_000;

/** Plays stories on a service and holds every answer, and then the mails, to the model. */
export async function play(theatre: Theatre, engine: string, budget: Budget): Promise<Played> {
  const mailBook = new MailBook();
  let untilMs = performance.now() + budget.limitMs;
  let stories = 0;
  let hasFailed = false;
  const isOver = () => (hasFailed || stories >= STORIES_MIN) && performance.now() > untilMs;

  const playOne = async (beginning: Beginning, steps: Steps): Promise<void> => {
    // A story that is under way is never broken off: it would go on beside the next.
    if (isOver()) return;
    const stage = theatre.nextStage();
    try {
      const model = await begin(beginning, stage);
      await fc.asyncModelRun(() => ({ model, real: stage }), steps);
      await audit(model, stage);
      mailBook.note(model, stage);
      if (!hasFailed) stories += 1;
    } catch (error) {
      if (!hasFailed) untilMs = performance.now() + SHRINKING_MS;
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
      return { stories, mails: mailBook.mails, failure: tell(details, engine, stories) };
    }
    await mailBook.audit(theatre);
    if (path !== undefined) break;
  }
  return { stories, mails: mailBook.mails, failure: undefined };
}

type Steps = Iterable<Step>;

type Details = fc.RunDetails<[Beginning, Steps]>;

function tell(details: Details, engine: string, before: number): string {
  const { counterexample, counterexamplePath, seed, numShrinks, errorInstance } = details;
  const [beginning, steps] = counterexample ?? [];
  const told = String(steps);
  const replay = /replayPath="([^"]*)"/.exec(told)?.[1] ?? "";
  const story = told.replace(/\s*\/\*replayPath.*\*\//, "");
  return [
    `after ${before} good stories on ${engine} one is not as the model has it,`,
    `here shrunk ${numShrinks} times:`,
    `  ${beginning}${story}`,
    "",
    inspect(errorInstance),
    "",
    "again: npm run model -- " +
      `--engine ${engine} --seed ${seed} --path "${counterexamplePath}" --replay "${replay}"`,
  ].join("\n");
}
