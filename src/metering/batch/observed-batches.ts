import type { BatchStore, RateReadOutcome } from "../store.ts";
import type { ObserveBatch } from "./batcher.ts";

/** Reports every batch of the store to an observer, failed ones too. */
export function observedBatches(batches: BatchStore, observe: ObserveBatch): BatchStore {
  return {
    readBatch(reads) {
      const begunMs = performance.now();
      const report = (outcomes: readonly RateReadOutcome[] | undefined) =>
        observe(reads.length, outcomes, (performance.now() - begunMs) / 1000);
      const committed = (outcomes: RateReadOutcome[]) => {
        report(outcomes);
        return outcomes;
      };
      const failed = (error: unknown): never => {
        report(undefined);
        throw error;
      };
      try {
        const result = batches.readBatch(reads);
        // Only an asynchronous engine returns a promise.
        if (!Array.isArray(result)) return result.then(committed, failed);
        return committed(result);
      } catch (error) {
        return failed(error);
      }
    },
  };
}
