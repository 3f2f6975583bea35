import type fc from "fast-check";
import type { Model } from "./model.ts";
import type { Stage } from "./story-client.ts";

/** One action in a story, with its expected outcome. */
export interface StepOf {
  /** Its kind in the tally. */
  readonly kind: string;
  /** The step in words: the report of a failing story lists these. */
  readonly sentence: string;
  /** Whether the story has what the step needs. */
  can(model: Readonly<Model>): boolean;
  /** Runs the step and compares its result with the model. @returns the outcome for the tally. */
  run(model: Model, stage: Stage): Promise<string>;
}

export type Step = fc.AsyncCommand<Model, Stage>;

export function step({ kind, sentence, can, run }: StepOf): Step {
  return {
    check: can,
    async run(model, stage) {
      try {
        stage.tally(kind, await run(model, stage));
      } catch (error) {
        // The audit at a story's end makes many checks: the message names the one that failed.
        throw new Error(`differs from the model: ${sentence}`, { cause: error });
      }
    },
    toString: () => `\n  ${sentence}`,
  };
}

export const always = () => true;
