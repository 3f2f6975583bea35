import { INVALID_REQUEST } from "@modelcontextprotocol/server";
import { isRecord, type McpResponse } from "./request.ts";
import { CHARGED_TOOLS } from "./tools.ts";

// Limits of the SDK's work and output for one request. Most of it costs the client no unit, so
// without limits a few clients would slow down all others. Measured on one core with the SDK 2.4:
// - 100 times tools/list in a batch: 4.8 KB in, 400 KB out, 21 ms;
// - one initialize with 30,000 values of a wrong type: 60 KB in, 7.3 MB out, 400 ms, since zod
//   writes some 240 bytes about each of them.

/** JSON values in a single message. A call has 8 to 15; 256 take the SDK some 3 ms. */
const MESSAGE_VALUES_MAX = 256;

/** JSON values in a batch: 100 calls of convert_currency have 1,000. */
const BATCH_VALUES_MAX = 2048;

/** Requests in a batch that are never charged, whatever their outcome. */
const FREE_REQUESTS_MAX = 10;

/** Characters of an error's message: enough for its first cause, and for a tool's name. */
const ERROR_LENGTH_MAX = 256;

/** Characters of a resource's URI: an error repeats it twice. Kurs's own have at most 23. */
const URI_LENGTH_MAX = 256;

const chargedTools: ReadonlySet<unknown> = new Set(CHARGED_TOOLS);

/** @returns the rejection of a request that must not reach the SDK. */
export function limitError(body: unknown): McpResponse | undefined {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (messages.some(hasLongUri)) {
    return rejected(`a resource's URI may have at most ${URI_LENGTH_MAX} characters`);
  }
  if (!Array.isArray(body)) {
    return hasMoreValues(body, MESSAGE_VALUES_MAX)
      ? rejected(`a message may hold at most ${MESSAGE_VALUES_MAX} JSON values`)
      : undefined;
  }
  if (hasMoreValues(body, BATCH_VALUES_MAX)) {
    return rejected(`a batch may hold at most ${BATCH_VALUES_MAX} JSON values`);
  }
  const requests = body.filter(isRequest);
  // The SDK runs two requests with the same id, but responds to one only.
  const ids = requests.map(({ id }) => JSON.stringify(id));
  if (new Set(ids).size < ids.length) return rejected("two requests of the batch have the same id");
  return rejectedFree(requests.filter((request) => !isCharged(request)));
}

/**
 * Repeating a list request within a batch returns nothing new: tools/list alone is 4 KB. A resource
 * has up to 250 KB, so a batch reads one.
 */
function rejectedFree(requests: readonly Message[]): McpResponse | undefined {
  const methods = requests.map(({ method }) => method).filter((method) => method !== "tools/call");
  const again = methods.find((method, index) => methods.indexOf(method) !== index);
  if (again !== undefined) {
    return rejected(`a batch may hold ${shortened(String(again))} only once`);
  }
  if (requests.length <= FREE_REQUESTS_MAX) return undefined;
  const charged = CHARGED_TOOLS.join(" and ");
  return rejected(
    `a batch may hold at most ${FREE_REQUESTS_MAX} requests besides calls of ${charged}`,
  );
}

type Message = Readonly<Record<string, unknown>>;

function isRequest(message: unknown): message is Message {
  return isRecord(message) && "method" in message && "id" in message;
}

function hasLongUri(message: unknown): boolean {
  if (!isRecord(message) || !isRecord(message.params)) return false;
  const { uri } = message.params;
  return typeof uri === "string" && uri.length > URI_LENGTH_MAX;
}

function isCharged({ method, params }: Message): boolean {
  return method === "tools/call" && isRecord(params) && chargedTools.has(params.name);
}

/** Whether a value contains more than `max` others, at any depth. Stops counting beyond that. */
function hasMoreValues(value: unknown, max: number): boolean {
  const pending = [value];
  let count = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += inner.length;
    if (count > max) return true;
    pending.push(...inner);
  }
  return false;
}

function rejected(rule: string): McpResponse {
  const error = { code: INVALID_REQUEST, message: `Invalid Request: ${rule}` };
  return { status: 400, body: JSON.stringify({ jsonrpc: "2.0", error, id: null }) };
}

/** @returns a text of at most 256 characters. */
export function shortened(text: string): string {
  return text.length <= ERROR_LENGTH_MAX ? text : `${text.slice(0, ERROR_LENGTH_MAX - 1)}…`;
}
