import type { PlainForm } from "../../platform/http/fast-path/plain-request.ts";
import { type RespondToRead, ratePath, rateRoute } from "./http.ts";

const symbol = "([A-Za-z0-9]{2,10})";

/** A metered read in its plainest form. */
export function createPlainRead(respondToRead: RespondToRead): PlainForm {
  return {
    route: rateRoute,
    start: `(GET|HEAD) ${ratePath(symbol, symbol)}`,
    respond: ({ groups: [, , base = "", quote = ""], apiKey }, requestId) =>
      respondToRead(requestId, apiKey, base, quote),
  };
}
