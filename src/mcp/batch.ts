import { isRecord } from "./request.ts";

/**
 * Removes the batch's cancellations: its calls get one response together, so none comes in time,
 * and the SDK (2.4) never responds to a batch in which a call is cancelled. A batch of nothing but
 * cancellations does no harm and stays as it is.
 */
export function withoutCancellations(batch: readonly unknown[]): readonly unknown[] {
  const kept = batch.filter((message) => !isCancellation(message));
  return kept.length === 0 ? batch : kept;
}

function isCancellation(message: unknown): boolean {
  return isRecord(message) && message.method === "notifications/cancelled" && !("id" in message);
}
