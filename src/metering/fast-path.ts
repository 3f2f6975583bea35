import type { ParsePlainRequest } from "../http/fast-path/connection.ts";
import { parsePlainRead } from "./read-fast-path.ts";
import type { RespondToRead } from "./respond-http.ts";
import { readsOverloaded } from "./rules.ts";

const RATE_ROUTE = "/v1/rates/:base/:quote";

/** Recognises a metered read in its plainest form. */
export function createRecogniseRead(answerRead: RespondToRead): ParsePlainRequest {
  return (bytes) => {
    const read = parsePlainRead(bytes);
    if (read === undefined) return undefined;
    const answer = (requestId: string) => answerRead(requestId, read.apiKey, read.base, read.quote);
    return { method: "GET", route: RATE_ROUTE, answer, busy: readsOverloaded };
  };
}
