import Type from "typebox";
import type { ReadRate } from "../../application/rates.ts";
import { Failure } from "../../domain/failure.ts";
import { credentialOf } from "../authorization.ts";
import { wireRate } from "../wire.ts";
import type { App } from "./app.ts";
import { rateLimitHeaders } from "./headers.ts";
import { responsesOf } from "./responses.ts";

const symbol = (description: string, example: string) =>
  Type.String({ description, examples: [example] });

const readRateSchema = {
  operationId: "readRate",
  tags: ["Rates"],
  summary: "Read one direct rate for one unit",
  description:
    "Checks the key, then the symbols, then charges exactly one unit, then reads the rate. A unit " +
    "that was charged is not refunded when the pair turns out to be unsupported or suspended. " +
    "HEAD is charged as GET is.",
  security: [{ ApiKey: [] }],
  params: Type.Object({
    base: symbol("2 to 10 of A-Z and 0-9; trimmed and upper-cased", "EUR"),
    quote: symbol("2 to 10 of A-Z and 0-9; trimmed and upper-cased", "USD"),
  }),
  response: responsesOf({ 200: Type.Ref("Rate#", { description: "The stored rate" }) }, [
    "unauthorized",
    "invalid_asset_symbol",
    "quota_exceeded",
    "unsupported_pair",
  ]),
};

export function rateRoutes(app: App, { readRate }: { readonly readRate: ReadRate }): void {
  const config = { scheme: "ApiKey" } as const;

  app.get("/v1/rates/:base/:quote", { schema: readRateSchema, config }, async (request, reply) => {
    const { base, quote } = request.params;
    const apiKey = credentialOf(request.headers.authorization, "ApiKey");
    const { result, allowance } = await readRate(apiKey, base, quote);
    if (allowance !== undefined) reply.headers(rateLimitHeaders(allowance));
    if (result instanceof Failure) throw result;
    return wireRate(result);
  });
}
