import { hash } from "node:crypto";
import type { App } from "../../platform/http/fastify.ts";
import type { DocumentedHeaders } from "../../platform/http/openapi/headers.ts";
import { documentedResponses, emptyResponse } from "../../platform/http/openapi/responses.ts";
import type { ListGuard } from "../../platform/http/unpaid-responses.ts";
import { wholeNumberIn } from "../../platform/http/validation.ts";
import { Failure, sessionRequired } from "../../platform/shared/failure.ts";
import { Type } from "../../platform/shared/json-schema.ts";
import { parsePairName, parseSymbol } from "../served/rules/symbol.ts";
import { type Coverage, PAIRS_PER_PAGE_MAX, type PageOfPairs } from "./coverage.ts";
import { pairsJson, sourcesJson } from "./json.ts";

const common = { tags: ["Account"], security: [{ Session: [] }] };

const EXAMPLE_TAG = '"9x4xLIpmtwpW4MwMTxhMkPIjE-3UZPjqIPuASbV8SAQ"';

const etagHeader: DocumentedHeaders = {
  ETag: {
    component: "PageTag",
    description: "Identifies the page's content, for If-None-Match",
    required: true,
    schema: { type: "string" },
    example: EXAMPLE_TAG,
  },
};

const limitIn = wholeNumberIn("limit", PAIRS_PER_PAGE_MAX);

const pairsSchema = {
  ...common,
  operationId: "listPairs",
  summary: "List the pairs that a read can get, in pages",
  description:
    "What exists, who publishes it, and whether it is up to date: neither figures nor their " +
    "times, which a read pays for. For the next page send `next` as `after`. The response has an " +
    "ETag: with it in If-None-Match, a request gets 304 while the page is the same.",
  querystring: Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAIRS_PER_PAGE_MAX,
        default: PAIRS_PER_PAGE_MAX,
        description: "How many pairs a page has at most",
        examples: [100],
      }),
    ),
    after: Type.Optional(
      Type.String({ description: "A pair: only those after it are listed", examples: ["EUR/USD"] }),
    ),
    base: Type.Optional(
      Type.String({ description: "Only pairs with this base are listed", examples: ["EUR"] }),
    ),
  }),
  headers: Type.Object({
    "If-None-Match": Type.Optional(
      Type.String({
        description: "The ETag of an earlier response, or several",
        examples: [EXAMPLE_TAG],
      }),
    ),
  }),
  response: documentedResponses(
    {
      200: Type.Ref("Pairs#", { description: "A page of the pairs", headers: etagHeader }),
      304: emptyResponse("The page is the same as in the response with that ETag", etagHeader),
    },
    [sessionRequired, limitIn.failure],
  ),
};

const sourcesSchema = {
  ...common,
  operationId: "listSources",
  summary: "List the sources of the pairs",
  description:
    "Those that own a pair or are switched on, with their terms, schedules and freshness, in " +
    "order of precedence.",
  response: documentedResponses({ 200: Type.Ref("Sources#", { description: "The sources" }) }, [
    sessionRequired,
  ]),
};

export function coverageRoutes(
  app: App,
  uses: { readonly coverage: Coverage; readonly listGuard: ListGuard },
): void {
  const { coverage, listGuard: onRequest } = uses;

  app.get(
    "/v1/account/pairs",
    { schema: pairsSchema, onRequest, preValidation: limitIn.check },
    async (request, reply) => {
      const { pairs, next } = await coverage.pairs(pageOf(request.query));
      const body = JSON.stringify(pairsJson(pairs, next));
      // Of the bytes themselves, so that no change can be missed: a version of the rates returns
      // to an earlier number when a backup is restored, and calendars change without one.
      const etag = `"${hash("sha256", body, "base64url")}"`;
      reply.header("etag", etag);
      // Node leaves out the body; with it, HEAD states the length that a 200 has (RFC 9110, 8.6).
      if (hasTag(request.headers["if-none-match"], etag)) reply.code(304);
      return reply.type("application/json; charset=utf-8").send(body);
    },
  );

  app.get("/v1/account/sources", { schema: sourcesSchema, onRequest }, async () =>
    sourcesJson(await coverage.sources()),
  );
}

const invalid = (rule: string) => new Failure("invalid_request", rule);
const badBase = invalid("base must be a symbol: 2 to 10 of A-Z and 0-9.");
const badAfter = invalid("after must be a pair such as EUR/USD.");

/** @throws {Failure} `invalid_request` */
function pageOf(query: {
  readonly limit?: number;
  readonly after?: string;
  readonly base?: string;
}): PageOfPairs {
  const { limit = PAIRS_PER_PAGE_MAX } = query;
  const base = query.base === undefined ? undefined : parseSymbol(query.base);
  if (query.base !== undefined && base === undefined) throw badBase;
  const after = query.after === undefined ? undefined : parsePairName(query.after);
  if (query.after !== undefined && after === undefined) throw badAfter;
  if (base !== undefined && after !== undefined && after.base !== base) {
    throw invalid(`after must be a pair with the base ${base}.`);
  }
  return { limit, after, base };
}

/** Whether a field of RFC 9110, section 13.1.2 names a response: it compares tags weakly. */
function hasTag(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  return field.split(",").some((tag) => [etag, `W/${etag}`, "*"].includes(tag.trim()));
}
