import {
  type MeterStore,
  type RateRead,
  type RateReadOutcome,
  StoreUnavailable,
} from "../../application/ports.ts";
import type { Engine } from "./engine.ts";

/** Bounds what one batch holds up: 1,000 reads take about 10 ms of the event loop. */
const READS_PER_BATCH = 1000;

interface Waiting {
  readonly read: RateRead;
  readonly resolve: (outcome: RateReadOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Gathers the reads that arrive in one turn of the event loop into one batch: one transaction and
 * one sync to disk for all of them. One batch is in flight at a time.
 */
export function createReadBatcher(engine: Pick<Engine, "readBatch">): MeterStore {
  let waiting: Waiting[] = [];
  let inFlight = false;

  const flush = async () => {
    const batch = nextBatch(waiting);
    waiting = waiting.slice(batch.length);
    try {
      const answer = engine.readBatch(batch.map(({ read }) => read));
      // Only where the engine is asynchronous is there something to wait for.
      const outcomes = Array.isArray(answer) ? answer : await answer;
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
      // Who waited behind a batch that the store could not answer has waited as long as one may.
      if (error instanceof StoreUnavailable) {
        for (const { reject } of waiting) reject(error);
        waiting = [];
      }
    }
    inFlight = false;
    if (waiting.length > 0) start();
  };

  const start = () => {
    inFlight = true;
    // The check phase comes right after all sockets of this turn were read.
    setImmediate(flush);
  };

  return {
    read: (read) =>
      new Promise((resolve, reject) => {
        waiting.push({ read, resolve, reject });
        if (!inFlight) start();
      }),
  };
}

/** A batch ends with the day: what comes after midnight is charged to another, in the next one. */
function nextBatch(waiting: readonly Waiting[]): readonly Waiting[] {
  const day = waiting[0]?.read.day;
  const end = waiting.findIndex(({ read }) => read.day !== day);
  return waiting.slice(0, Math.min(end === -1 ? waiting.length : end, READS_PER_BATCH));
}
