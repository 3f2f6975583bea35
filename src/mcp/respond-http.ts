import type { Logger } from "pino";
import { errorResponse } from "../http/response/error-handler.ts";
import type { HttpResponse } from "../http/response/serialize.ts";
import { Failure } from "../shared/failure.ts";
import { logFailure, toFailure } from "../shared/thrown.ts";
import type { HandleMcpRequest, McpRequest } from "./request.ts";

/**
 * The challenge of a 401. There is no authorization server that it could name, and several clients
 * show the description to the user (error_description is RFC 6750's, in ASCII).
 */
export const MCP_CHALLENGE =
  'ApiKey realm="kurs", error_description="Send Authorization: ApiKey svc_live_..."';

/** Handles a message or a batch and builds the HTTP response. */
export type AnswerMcpRequest = (request: McpRequest) => Promise<HttpResponse>;

export function createAnswerMcpRequest(uses: {
  readonly answerMcp: HandleMcpRequest;
  readonly log: Logger;
}): AnswerMcpRequest {
  const { answerMcp, log } = uses;
  return (request) =>
    answerMcp(request).then(
      (result) =>
        result instanceof Failure
          ? errorResponse(result, request.requestId, MCP_CHALLENGE)
          : { status: result.status, code: undefined, headers: [], body: result.body },
      (error: unknown) => {
        const failure = toFailure(error);
        logFailure(log, failure, request.requestId);
        return errorResponse(failure, request.requestId, MCP_CHALLENGE);
      },
    );
}
