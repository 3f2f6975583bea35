import type fc from "fast-check";
import type { Model } from "./model.ts";
import type { Stage } from "./story-client.ts";

/** One thing that somebody does, with what must come of it. */
export interface StepOf {
  /** What the tally counts it as. */
  readonly kind: string;
  /** The step in words: a failing story is a list of these. */
  readonly sentence: string;
  /** Whether the story has got what the step speaks of. */
  can(model: Readonly<Model>): boolean;
  /** Does it, and holds the answer to the model. @returns what came of it, for the tally. */
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
        // The end of a story looks at everything: it has to be told which look was the wrong one.
        throw new Error(`not so: ${sentence}`, { cause: error });
      }
    },
    toString: () => `\n  ${sentence}`,
  };
}

export const always = () => true;
