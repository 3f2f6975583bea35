import assert from "node:assert/strict";
import { assertCommonHeaders, uuidV7 } from "./assertions.ts";
import type { Answer, Call, Client } from "./client.ts";
import { assertDocumented, documentedPathOf, type OpenApiDocument } from "./openapi.ts";

/** The responses of a service that are kept until its end: later and longer ones are not checked. */
const RESPONSES_MAX = 1000;
const CHARACTERS_MAX = 10_000;

/** The same for all services but for their addresses. */
let document: OpenApiDocument | undefined;

/** A client whose responses are compared with the OpenAPI document at the service's end. */
export function checkedClient(call: Client["call"]) {
  const responses: { method: string; path: string; how: Call; answer: Answer }[] = [];
  return {
    async call(method: string, path: string, how: Call = {}) {
      const answer = await call(method, path, how);
      const isKept = responses.length < RESPONSES_MAX && answer.text.length <= CHARACTERS_MAX;
      if (isKept) responses.push({ method, path, how, answer });
      return answer;
    },

    /** @throws for a response that reveals a secret, or that the document does not allow. */
    async check() {
      if (responses.length === 0) return;
      document ??= (await call("GET", "/openapi.json")).body as unknown as OpenApiDocument;
      for (const { method, path, how, answer } of responses) {
        try {
          assertSound(answer);
          assertKeepsSecrets(`${method} ${path}`, answer, how);
          const isDocumented = assertAsDocumented(document, method, path, answer);
          if (isDocumented && answer.status !== 304) assertCommonHeaders(answer);
        } catch (error) {
          assert.fail(`${method} ${path}: ${(error as Error).message}`);
        }
      }
    },
  };
}

/** Asserts that the document allows a response, if it has this operation. @returns whether it has. */
export function assertAsDocumented(
  api: OpenApiDocument,
  method: string,
  target: string,
  answer: Answer,
): boolean {
  const operation = api.paths[documentedPathOf(api, target) ?? ""]?.[method.toLowerCase()];
  if (operation !== undefined) assertDocumented(api, operation, answer);
  return operation !== undefined;
}

/** Headers of no response: cookies, and what names the software. */
const never = ["set-cookie", "server", "x-powered-by", "access-control-allow-credentials"];

/** Headers that a status requires. */
const required: Readonly<Record<number, readonly [name: string, value: RegExp]>> = {
  401: ["www-authenticate", /^(?:ApiKey|Session) realm="kurs"/],
  405: ["allow", /^(?:[A-Z]+(?:, [A-Z]+)*)?$/],
  429: ["retry-after", /^[1-9]\d*$/],
  503: ["retry-after", /^[1-9]\d*$/],
};

/** Asserts the headers of any response, and that a failure names the request. */
export function assertSound({ status, headers, body }: Answer): void {
  for (const name of never) assert.equal(headers[name], undefined, `the header ${name}`);
  const origin = headers["access-control-allow-origin"] ?? "*";
  assert.equal(origin, "*", "the response reflects the origin");
  assert.match(headers["x-request-id"] ?? "", uuidV7);
  const [name = "", value] = required[status] ?? [];
  if (value !== undefined) assert.match(headers[name] ?? "none", value, `${name} of a ${status}`);
  const isFailure = status >= 400 && typeof body.code === "string";
  if (isFailure) assert.equal(body.request_id, headers["x-request-id"]);
}

/** The responses that tell a new credential; examples repeat two digits. */
const telling = /^POST \/v1\/(?:auth\/login|account\/api-keys(?:\/[^/]+\/rotate)?)$/;
const credential = /svc_(?:live|sess)_(?!([0-9a-f]{2})\1{31})[0-9a-f]{64}/;

/** What belongs to the log or the store: stacks, paths, SQL and the engines' words, digests. */
const internal =
  /\bat .{1,80}:\d+:\d+|\.[jt]s:\d|node:internal|file:\/\/|\/(?:tmp|src|node_modules)\/|SQLITE|SELECT .{1,200} FROM|INSERT INTO|constraint failed|no such table|\$argon2|(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/;

/** Asserts that a response has no credential, no password, and a failure nothing of the inside. */
export function assertKeepsSecrets(request: string, answer: Answer, { json }: Call = {}): void {
  const { status, headers, text } = answer;
  const shown = `${JSON.stringify(headers)} ${text}`;
  const tells = telling.test(request) && status < 300;
  if (!tells) assert.doesNotMatch(shown, credential, "the response has a credential");
  if (status >= 400) assert.doesNotMatch(shown, internal, "the failure shows the inside");
  const { password } = (json ?? {}) as { readonly password?: unknown };
  const isLong = typeof password === "string" && password.length >= 8;
  if (isLong) assert.ok(!shown.includes(password), "the response has the password");
}
