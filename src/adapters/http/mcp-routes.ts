import type { FastifyReply, FastifyRequest } from "fastify";
import { apiKeyRequired, Failure } from "../../domain/failure.ts";
import { credentialOf } from "../authorization.ts";
import type { AnswerMcp } from "../mcp-endpoint.ts";
import type { WriteAnswer } from "./answers.ts";
import type { App } from "./app.ts";
import { writeFailure } from "./failures.ts";
import type { OriginGuard } from "./origin-guard.ts";

const BODY_BYTES_MAX = 64 * 1024;

const PATHS = ["/v1/mcp", "/mcp"];

/** The challenge of a 401; there is no authorization server that it could lead to. */
const CHALLENGE = 'ApiKey realm="kurs"';

/** The Model Context Protocol's path and its alias. What is answered there describes itself. */
export async function mcpRoutes(
  app: App,
  uses: {
    readonly answerMcp: AnswerMcp;
    readonly write: WriteAnswer;
    readonly originGuard: OriginGuard;
  },
): Promise<void> {
  const { answerMcp, write, originGuard } = uses;

  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    const apiKey = apiKeyOf(request);
    const body = typeof request.body === "string" ? request.body : "";
    answerMcp({ headers: request.headers, body, apiKey, requestId: request.id }).then(
      (result) => {
        if (result instanceof Failure) {
          writeFailure(write, request, reply, result, { challenge: CHALLENGE });
        } else if (result.body === "") {
          reply.code(result.status).send();
        } else {
          write(request, reply, result.status, [], result.body);
        }
      },
      (error: Error) => reply.send(error),
    );
  };

  await app.register((scope, _options, done) => {
    // The protocol has its own answer to a body that is no JSON.
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) =>
      done(null, body),
    );
    const options = {
      schema: { hide: true },
      config: { challenge: CHALLENGE },
      bodyLimit: BODY_BYTES_MAX,
      onRequest: async (request: FastifyRequest) => {
        originGuard(request);
        // Without any key nothing of the body is read. Whether it is a good one is seen later.
        if (apiKeyOf(request) === undefined) throw apiKeyRequired;
      },
    };
    for (const path of PATHS) scope.post(path, options, answer);
    done();
  });
}

function apiKeyOf({ headers }: FastifyRequest): string | undefined {
  return credentialOf(headers.authorization, "ApiKey");
}
