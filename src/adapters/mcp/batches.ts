import { INVALID_REQUEST } from "@modelcontextprotocol/server";
import type { McpAnswer } from "../mcp-endpoint.ts";
import { isRecord } from "./records.ts";

// Two things that the SDK (2.4) does not stand: it never answers a batch in which a call is
// cancelled, and of two requests with the same id it runs both and answers one.

/**
 * Without the batch's cancellations: its calls are answered together, so none comes in time. A
 * batch of nothing else hangs nothing, and stays.
 */
export function withoutCancellations(batch: readonly unknown[]): readonly unknown[] {
  const kept = batch.filter((message) => !isCancellation(message));
  return kept.length === 0 ? batch : kept;
}

function isCancellation(message: unknown): boolean {
  return isRecord(message) && message.method === "notifications/cancelled" && !("id" in message);
}

/** @returns the answer to a batch that nothing of is to be run. */
export function refusalOf(batch: readonly unknown[]): McpAnswer | undefined {
  const ids = batch.flatMap((message) =>
    isRecord(message) && "method" in message && "id" in message ? [JSON.stringify(message.id)] : [],
  );
  if (new Set(ids).size === ids.length) return undefined;
  const message = "Invalid Request: two requests of the batch have the same id";
  const error = { code: INVALID_REQUEST, message };
  return { status: 400, body: JSON.stringify({ jsonrpc: "2.0", error, id: null }) };
}
