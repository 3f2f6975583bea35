import { accepts } from "../../platform/http/accept.ts";

/** The Accept that the SDK requires of clients before 2026, although Kurs sends them JSON only. */
export const BOTH_TYPES = "application/json, text/event-stream";

const jsonRanges = ["application/json", "application/*", "*/*"];

/** Whether a client accepts JSON. Without an Accept header it accepts anything (RFC 9110). */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === BOTH_TYPES) return true;
  return jsonRanges.some((range) => accepts(accept, range));
}
