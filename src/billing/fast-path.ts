import { endsConnection, hasOrigin, plainGet } from "../http/fast-path/grammar.ts";
import type { ParsePlainRequest } from "../http/fast-path/plain-request.ts";
import { serviceOverloaded } from "../shared/failure.ts";
import { type RespondToUsage, USAGE_ROUTE } from "./http.ts";

/** node:http, which enforces every limit, handles longer ones. */
const BYTES_MAX = 2048;

const SESSION_HEADER = "(?i:authorization: Session) ([!-~]+)\\r\\n";

const plainUsage = plainGet(USAGE_ROUTE, SESSION_HEADER);

/**
 * Recognises a request for the usage in its plainest form: the bytes are one complete GET or HEAD,
 * with one Host, one session and otherwise only headers that have no effect.
 */
export function createUsageParser(respondToUsage: RespondToUsage): ParsePlainRequest {
  return (bytes) => {
    if (bytes.length > BYTES_MAX) return undefined;
    const head = bytes.toString("latin1");
    const [, method, minorVersion = "1", lastToken, firstToken] = plainUsage.exec(head) ?? [];
    const token = lastToken ?? firstToken;
    if (token === undefined) return undefined;
    return {
      method: method === "HEAD" ? "HEAD" : "GET",
      isLast: endsConnection(head, minorVersion),
      hasOrigin: hasOrigin(head),
      route: USAGE_ROUTE,
      respond: (requestId) => respondToUsage(requestId, token),
      overloadFailure: serviceOverloaded,
    };
  };
}
