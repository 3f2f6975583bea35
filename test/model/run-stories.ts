import { inspect } from "node:util";
import fc from "fast-check";
import { MailBook } from "./expected-mails.ts";
import type { Theatre } from "./service-under-test.ts";
import type { Step } from "./step.ts";
import { audit, type Beginning, begin, someBeginning, someSteps } from "./stories.ts";

export interface Budget {
  readonly seed: number;
  /** The most stories to play. */
  readonly stories: number;
  /** No story begins after this time, except the first few. */
  readonly limitMs: number;
  /** The place of a failure, from its report. */
  readonly path?: string | undefined;
  readonly replay?: string | undefined;
}

export interface Played {
  readonly stories: number;
  readonly mails: number;
  /** The story of a failure, its reason, and how to replay it. */
  readonly failure: string | undefined;
}

/** Stories per seed; the next ones use the next seed. */
const ROUND = 50;

/** However slow the machine: this many include nearly every kind of step. */
const STORIES_MIN = 5;

/** The time for shrinking a failing story. */
const SHRINKING_MS = 30_000;

/** Plays stories on a service and compares every response, and then the mails, with the model. */
export async function play(theatre: Theatre, engine: string, budget: Budget): Promise<Played> {
  const mailBook = new MailBook();
  let untilMs = performance.now() + budget.limitMs;
  let stories = 0;
  let hasFailed = false;
  const isOver = () => (hasFailed || stories >= STORIES_MIN) && performance.now() > untilMs;

  const playOne = async (beginning: Beginning, steps: Steps): Promise<void> => {
    // A story always runs to its end: otherwise it would continue during the next one.
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
      return { stories, mails: mailBook.mails, failure: describe(details, engine, stories) };
    }
    await mailBook.audit(theatre);
    if (path !== undefined) break;
  }
  return { stories, mails: mailBook.mails, failure: undefined };
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
