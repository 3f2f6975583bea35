import type { PlainForm, PlainHeaders } from "../../platform/http/fast-path/plain-request.ts";
import type { RespondToMcp } from "./http.ts";
import type { OriginCheck } from "./origin-check.ts";
import { MCP_ROUTE } from "./request.ts";
import { isShortCall } from "./short-call.ts";

/** A short call of a tool in its plainest form, from an allowed origin. */
export function createPlainCall(respondToMcp: RespondToMcp, checkOrigin: OriginCheck): PlainForm {
  // The route rejects other origins, with the reason.
  const acceptsHeaders = (headers: PlainHeaders): boolean => {
    try {
      checkOrigin({ headers });
      return true;
    } catch {
      return false;
    }
  };
  return {
    route: { url: MCP_ROUTE, config: {} },
    start: `(POST) ${MCP_ROUTE}`,
    // Responses to other messages may be long: node:http counts them until they are written.
    body: { acceptsHeaders, acceptsText: isShortCall },
    respond: ({ headers, apiKey, body }, requestId) =>
      respondToMcp({ headers, apiKey, body, requestId }),
  };
}
