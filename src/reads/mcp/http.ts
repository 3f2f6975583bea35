import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { ApiKeys } from "../../customers/api-keys/api-keys.ts";
import { apiKeyRequired, KeyRejected } from "../../customers/api-keys/rules.ts";
import { credentialOf } from "../../platform/http/authentication.ts";
import { challenge, describeCredential } from "../../platform/http/challenge.ts";
import { ClientGone } from "../../platform/http/client-address.ts";
import type { App } from "../../platform/http/fastify.ts";
import type { SendResponse } from "../../platform/http/response/reply.ts";
import { errorResponse, type HttpResponse } from "../../platform/http/response/response.ts";
import type { AwaitUnpaid } from "../../platform/http/unpaid-responses.ts";
import { logFailure } from "../../platform/log/log.ts";
import type { Caller } from "../../platform/shared/caller.ts";
import { toFailure } from "../../platform/shared/failure.ts";
import type { OriginCheck } from "./origin-check.ts";
import { type HandleMcpRequest, MCP_ROUTE, type McpRequest } from "./request.ts";

const BODY_BYTES_MAX = 64 * 1024;

/** The methods with which clients open a stream or end a session; Kurs has neither. */
const STREAM_METHODS = new Set(["GET", "HEAD", "DELETE"]);

/** The Model Context Protocol's path. The OpenAPI document omits it: MCP describes itself. */
export async function mcpRoutes(
  app: App,
  deps: {
    readonly respondToMcp: RespondToMcp;
    readonly send: SendResponse;
    readonly checkOrigin: OriginCheck;
    readonly awaitUnpaid: AwaitUnpaid;
    readonly apiKeys: Pick<ApiKeys, "authenticate">;
  },
): Promise<void> {
  const { respondToMcp, send, checkOrigin, awaitUnpaid, apiKeys } = deps;

  const respond = (request: FastifyRequest, reply: FastifyReply): void => {
    const body = typeof request.body === "string" ? request.body : "";
    const { headers, id: requestId } = request;
    const message = { headers, body, apiKey: apiKeyOf(request), requestId };
    respondToMcp({ ...message, awaitUnpaid: () => awaitUnpaid(reply.raw) })
      .then((response) => send(request, reply, response))
      .catch((error: Error) => reply.send(error));
  };

  // A client with an invalid key may ask for a stream first. 405 would hide that the key is
  // invalid: several clients then report a stream error.
  const beforeOtherMethod = async (request: FastifyRequest): Promise<void> => {
    if (!STREAM_METHODS.has(request.method)) return;
    checkOrigin(request);
    await apiKeys.authenticate(apiKeyOf(request));
  };

  await app.register((scope, _options, done) => {
    // The protocol has its own response to invalid JSON.
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) =>
      done(null, body),
    );
    const options = {
      schema: { hide: true },
      config: { scheme: "ApiKey", beforeOtherMethod } as const,
      bodyLimit: BODY_BYTES_MAX,
      onRequest: async (request: FastifyRequest) => {
        checkOrigin(request);
        // Without a key the body is not read. The key itself is checked later.
        if (apiKeyOf(request) === undefined) throw apiKeyRequired;
      },
    };
    scope.post(MCP_ROUTE, options, respond);
    done();
  });
}

function apiKeyOf({ raw }: FastifyRequest): string | undefined {
  return credentialOf(raw, "ApiKey");
}

/** Handles a message or a batch and builds the HTTP response. @throws {ClientGone} */
export type RespondToMcp = (request: McpRequest) => Promise<HttpResponse>;

export function createRespondToMcp(deps: {
  readonly handleMcpRequest: HandleMcpRequest;
  readonly log: Logger;
}): RespondToMcp {
  const { handleMcpRequest, log } = deps;
  return (request) => {
    let caller: Caller | undefined;
    const identify = (known: Caller | undefined) => {
      caller = known;
    };
    return handleMcpRequest({ ...request, identify }).then(
      ({ status, body }) => ({ status, code: undefined, headers: [], body, caller }),
      (error: unknown) => {
        if (error instanceof ClientGone) throw error;
        if (error instanceof KeyRejected) caller = error.caller;
        const failure = toFailure(error);
        logFailure(log, failure, request.requestId);
        const came = describeCredential(request.apiKey ?? "", "ApiKey");
        const headers =
          failure.code === "unauthorized" ? ["www-authenticate", challenge("ApiKey", came)] : [];
        return errorResponse(failure, request.requestId, headers, caller);
      },
    );
  };
}
