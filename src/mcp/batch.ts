import { isRecord } from "./records.ts";

/**
 * Without the batch's cancellations: its calls are answered together, so none comes in time, and
 * the SDK (2.4) never answers a batch in which a call is cancelled. A batch of nothing else hangs
 * nothing, and stays.
 */
export function withoutCancellations(batch: readonly unknown[]): readonly unknown[] {
  const kept = batch.filter((message) => !isCancellation(message));
  return kept.length === 0 ? batch : kept;
}

function isCancellation(message: unknown): boolean {
  return isRecord(message) && message.method === "notifications/cancelled" && !("id" in message);
}
