import type { BatchStore, RateReadOutcome } from "../store.ts";
import type { ObserveBatch } from "./batcher.ts";

/** The store's batches, of each of which an observer is told: of those that failed, too. */
export function observedBatches(batches: BatchStore, observe: ObserveBatch): BatchStore {
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
        const answer = batches.readBatch(reads);
        // Only where the engine is asynchronous is there something to wait for.
        if (!Array.isArray(answer)) return answer.then(committed, failed);
        return committed(answer);
      } catch (error) {
        return failed(error);
      }
    },
  };
}
