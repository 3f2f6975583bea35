import type { WholeAnswer } from "../http/response/serialize.ts";
import { recogniseMcp } from "../mcp/fast-path.ts";
import type { OriginGuard } from "../mcp/origin-check.ts";
import type { AnswerMcpRequest } from "../mcp/respond-http.ts";
import { type Failure, serviceBusy } from "../shared/failure.ts";
import { recogniseRead } from "./read-fast-path.ts";
import type { AnswerRead } from "./respond-http.ts";
import { readsBusy } from "./rules.ts";

/** A request that the lane understands whole. */
export interface PlainRequest {
  readonly method: "GET" | "POST";
  /** The pattern of its path, as the log has it. */
  readonly route: string;
  readonly answer: (requestId: string) => Promise<WholeAnswer>;
  /** What it is answered when too much is asked at once. */
  readonly busy: Failure;
}

/** @returns `undefined` for bytes that are not just one plain request. */
export type Recognise = (bytes: Buffer) => PlainRequest | undefined;

const RATE_ROUTE = "/v1/rates/:base/:quote";
const MCP_ROUTE = "/v1/mcp";
const FIRST_OF_GET = "G".charCodeAt(0);

export function createRecognise(uses: {
  readonly answerRead: AnswerRead;
  readonly answerMcpRequest: AnswerMcpRequest;
  readonly originGuard: OriginGuard;
}): Recognise {
  const { answerRead, answerMcpRequest, originGuard } = uses;

  const asRead = (bytes: Buffer): PlainRequest | undefined => {
    const read = recogniseRead(bytes);
    if (read === undefined) return undefined;
    const answer = (requestId: string) => answerRead(requestId, read.apiKey, read.base, read.quote);
    return { method: "GET", route: RATE_ROUTE, answer, busy: readsBusy };
  };

  const asMcp = (bytes: Buffer): PlainRequest | undefined => {
    const message = recogniseMcp(bytes);
    if (message === undefined || !passes(originGuard, message.headers)) return undefined;
    const { headers, body, apiKey } = message;
    const answer = (requestId: string) => answerMcpRequest({ headers, body, apiKey, requestId });
    return { method: "POST", route: MCP_ROUTE, answer, busy: serviceBusy };
  };

  return (bytes) => (bytes[0] === FIRST_OF_GET ? asRead(bytes) : asMcp(bytes));
}

/** What the guard refuses is refused by the route, which says why. */
function passes(guard: OriginGuard, headers: Readonly<Record<string, string>>): boolean {
  try {
    guard({ headers });
    return true;
  } catch {
    return false;
  }
}
