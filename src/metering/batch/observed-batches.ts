import type { Engine } from "../../storage/engine.ts";
import type { RateReadOutcome } from "../store.ts";
import type { ObserveBatch } from "./batcher.ts";

/** The engine's batches, of each of which an observer is told: of those that failed, too. */
export function observedBatches(
  engine: Pick<Engine, "readBatch">,
  observe: ObserveBatch,
): Pick<Engine, "readBatch"> {
  return {
    readBatch(reads) {
      const begunMs = performance.now();
      const tell = (outcomes: readonly RateReadOutcome[] | undefined) =>
        observe(reads.length, outcomes, (performance.now() - begunMs) / 1000);
      const committed = (outcomes: RateReadOutcome[]) => {
        tell(outcomes);
        return outcomes;
      };
      const failed = (error: unknown): never => {
        tell(undefined);
        throw error;
      };
      try {
        const answer = engine.readBatch(reads);
        // Only where the engine is asynchronous is there something to wait for.
        if (!Array.isArray(answer)) return answer.then(committed, failed);
        return committed(answer);
      } catch (error) {
        return failed(error);
      }
    },
  };
}
