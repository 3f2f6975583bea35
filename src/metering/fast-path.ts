import type { Recognise } from "../http/fast-path/connection.ts";
import { recogniseRead } from "./read-fast-path.ts";
import type { AnswerRead } from "./respond-http.ts";
import { readsBusy } from "./rules.ts";

const RATE_ROUTE = "/v1/rates/:base/:quote";

/** Recognises a metered read in its plainest form. */
export function createRecogniseRead(answerRead: AnswerRead): Recognise {
  return (bytes) => {
    const read = recogniseRead(bytes);
    if (read === undefined) return undefined;
    const answer = (requestId: string) => answerRead(requestId, read.apiKey, read.base, read.quote);
    return { method: "GET", route: RATE_ROUTE, answer, busy: readsBusy };
  };
}
