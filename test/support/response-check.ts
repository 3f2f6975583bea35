import assert from "node:assert/strict";
import type { Answer, Client } from "./client.ts";
import { documentedPathOf } from "./documented-paths.ts";
import { assertDocumented, type OpenApiDocument, operationOf } from "./openapi.ts";

/** The responses of a service that are kept until its end: later and longer ones are not checked. */
const RESPONSES_MAX = 1000;
const CHARACTERS_MAX = 10_000;

/** The same for all services but for their addresses. */
let document: OpenApiDocument | undefined;

/** A client whose responses are compared with the OpenAPI document at the service's end. */
export interface CheckedClient {
  readonly call: Client["call"];
  /** @throws for a response of an operation that the document does not allow. */
  check(): Promise<void>;
}

export function checkedClient(call: Client["call"]): CheckedClient {
  const responses: { method: string; path: string; answer: Answer }[] = [];
  return {
    async call(method, path, how) {
      const answer = await call(method, path, how);
      const isKept = responses.length < RESPONSES_MAX && answer.text.length <= CHARACTERS_MAX;
      if (isKept) responses.push({ method, path, answer });
      return answer;
    },

    async check() {
      if (responses.length === 0) return;
      document ??= (await call("GET", "/openapi.json")).body as unknown as OpenApiDocument;
      for (const { method, path, answer } of responses) {
        const documented = documentedPathOf(document, path);
        const isOperation = document.paths[documented ?? ""]?.[method.toLowerCase()] !== undefined;
        if (documented === undefined || !isOperation) continue;
        try {
          assertDocumented(document, operationOf(document, method, documented), answer);
        } catch (error) {
          assert.fail(`${method} ${path}: ${(error as Error).message}`);
        }
      }
    },
  };
}
