import { createPlainParser } from "../platform/http/fast-path/plain-request.ts";
import type { App } from "../platform/http/fastify.ts";
import type { SendFailure, SendResponse } from "../platform/http/response/reply.ts";
import type { AwaitUnpaid } from "../platform/http/unpaid-responses.ts";
import { createPlainCall } from "./mcp/fast-path.ts";
import { createRespondToMcp, mcpRoutes } from "./mcp/http.ts";
import { createOriginCheck } from "./mcp/origin-check.ts";
import { createPlainRead } from "./metering/fast-path.ts";
import { createRespondToRead, rateRoutes } from "./metering/http.ts";
import type { Reads } from "./use-cases.ts";

/** Makes both ways to a metered read: routes, and the parser of plain requests. */
export function createReadRoutes(settings: Parameters<typeof createOriginCheck>[0], reads: Reads) {
  const respondToRead = createRespondToRead(reads);
  const respondToMcp = createRespondToMcp(reads);
  const checkOrigin = createOriginCheck(settings);
  const plainForms = [createPlainRead(respondToRead), createPlainCall(respondToMcp, checkOrigin)];
  return {
    parse: createPlainParser(plainForms),
    async addTo(
      app: App,
      http: {
        readonly send: SendResponse;
        readonly sendFailure: SendFailure;
        readonly awaitUnpaid: AwaitUnpaid;
      },
    ): Promise<void> {
      rateRoutes(app, { respondToRead, ...http });
      await mcpRoutes(app, { respondToMcp, checkOrigin, apiKeys: reads.apiKeys, ...http });
    },
  };
}
