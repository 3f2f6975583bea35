import type { FastifyReply, FastifyRequest } from "fastify";
import { credentialOf } from "../http/authentication.ts";
import { documentedResponses } from "../http/documented-responses.ts";
import type { App } from "../http/fastify.ts";
import type { SendResponse } from "../http/response/reply.ts";
import { Type } from "../shared/json-schema.ts";
import type { RespondToRead } from "./respond-http.ts";
import { readsOverloaded } from "./rules.ts";

const symbol = (description: string, example: string) =>
  Type.String({ description, examples: [example] });

const readRateSchema = {
  operationId: "readRate",
  tags: ["Rates"],
  summary: "Read one direct rate for one unit",
  description:
    "Checks the key, then the symbols, then charges exactly one unit, then reads the rate. A " +
    "unit that was charged is not refunded when the pair is unsupported or suspended. " +
    "HEAD is charged as GET is.",
  security: [{ ApiKey: [] }],
  params: Type.Object({
    base: symbol("2 to 10 of A-Z and 0-9; trimmed and upper-cased", "EUR"),
    quote: symbol("2 to 10 of A-Z and 0-9; trimmed and upper-cased", "USD"),
  }),
  response: documentedResponses({ 200: Type.Ref("Rate#", { description: "The stored rate" }) }, [
    "unauthorized",
    "invalid_asset_symbol",
    "quota_exceeded",
    "unsupported_pair",
  ]),
};

/** Handles a read that the router received, with base and quote as they are in the path. */
export type HandleReadRoute = (
  request: FastifyRequest,
  reply: FastifyReply,
  base: string,
  quote: string,
) => void;

export function createReplyToRead(answerRead: RespondToRead, write: SendResponse): HandleReadRoute {
  // No async handler: the promise it would add costs as much as looking up the rate.
  return (request, reply, base, quote) => {
    const apiKey = credentialOf(request.raw, "ApiKey");
    void answerRead(request.id, apiKey, base, quote).then((response) => {
      write(request, reply, response);
    });
  };
}

export function rateRoutes(
  app: App,
  { replyToRead }: { readonly replyToRead: HandleReadRoute },
): void {
  const config = { challenge: "ApiKey", busy: readsOverloaded };

  app.get("/v1/rates/:base/:quote", { schema: readRateSchema, config }, (request, reply) => {
    replyToRead(request, reply, request.params.base, request.params.quote);
  });
}
