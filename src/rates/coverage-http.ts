import { createHash, hash } from "node:crypto";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Logger } from "pino";
import { accountOf, type SessionGuard } from "../http/authentication.ts";
import type { App } from "../http/fastify.ts";
import { documentedResponses, emptyResponse } from "../http/openapi.ts";
import { serviceOverloaded } from "../shared/failure.ts";
import { Type } from "../shared/json-schema.ts";
import type { CoveredPair } from "./coverage.ts";
import { coveredSourceJson, openingText, pairsText } from "./coverage-json.ts";
import { createListings, type Listing, type Listings, type ListingUses } from "./listing.ts";

const schema = {
  tags: ["Account"],
  security: [{ Session: [] }],
  operationId: "listPairs",
  summary: "List the pairs that a read can get, and their sources",
  description:
    "What exists, who publishes it, and whether it is up to date: neither figures nor their " +
    "times, which a read pays for. The response has an ETag, unless the rates change while it is " +
    "built or it finds no room in memory: with it in If-None-Match, a request gets 304 while " +
    "nothing has changed.",
  headers: Type.Object({
    "if-none-match": Type.Optional(
      Type.String({ description: "The ETag of an earlier response, or several" }),
    ),
  }),
  response: documentedResponses(
    {
      200: Type.Ref("Coverage#", { description: "The pairs and their sources" }),
      304: emptyResponse("Nothing has changed since the response with that ETag"),
    },
    ["unauthorized"],
  ),
};

const sourcesSchema = {
  tags: ["Account"],
  security: [{ Session: [] }],
  operationId: "listSources",
  summary: "List the sources of the pairs",
  description: "The sources of GET /v1/account/pairs without its pairs: some kilobytes.",
  response: documentedResponses({ 200: Type.Ref("Sources#", { description: "The sources" }) }, [
    "unauthorized",
  ]),
};

/** Bodies that one account, and all accounts, receive at once: a client may not read its own. */
const BODIES_PER_ACCOUNT_MAX = 64;
const BODIES_MAX = 256;

/** Creates the listings with the encoding and the digest of responses. */
export function createJsonListings(uses: Omit<ListingUses, "encode" | "createDigest">): Listings {
  return createListings({ ...uses, encode, createDigest });
}

function encode(pairs: readonly CoveredPair[], isFirst: boolean): Uint8Array {
  return Buffer.from(`${isFirst ? "" : ","}${pairsText(pairs)}`);
}

function createDigest() {
  const digest = createHash("sha256");
  return {
    update: (bytes: Uint8Array) => void digest.update(bytes),
    value: () => digest.digest("base64url"),
  };
}

export function coverageRoutes(
  app: App,
  uses: {
    readonly listings: Listings;
    readonly sessionGuard: SessionGuard;
    readonly log: Logger;
  },
): void {
  const { listings, sessionGuard: onRequest, log } = uses;
  const admit = createBodyLimit();

  app.get("/v1/account/pairs", { schema, onRequest }, async (request, reply) => {
    const leave = admit(accountOf(request));
    const listing = await listings.current().catch((error: unknown) => {
      leave();
      throw error;
    });
    const release = () => {
      leave();
      listing.release();
    };
    const opening = openingText(listing.sources);
    const etag = etagOf(listing, opening);
    if (etag !== undefined) reply.header("etag", etag);
    const isSame = etag !== undefined && hasTag(request.headers["if-none-match"], etag);
    if (isSame || request.method === "HEAD") {
      release();
      if (isSame) return reply.code(304).send();
      // Unlike an empty text, an empty stream leaves the length as it is.
      return typed(reply, listing, opening).send(Readable.from([]));
    }
    const body = Readable.from(textsOf(listings, listing, opening));
    body.once("close", release);
    body.once("error", (err) => {
      log.warn({ err, request_id: request.id }, "a list of pairs was cut off before its end");
    });
    return typed(reply, listing, opening).send(body);
  });

  app.get("/v1/account/sources", { schema: sourcesSchema, onRequest }, async () => {
    const { sources, release } = await listings.current();
    release();
    return { sources: sources.map(coveredSourceJson) };
  });
}

const CLOSING = "]}";

function typed(reply: FastifyReply, { text }: Listing, opening: string): FastifyReply {
  reply.type("application/json; charset=utf-8");
  if (text === undefined) return reply;
  const bytes = Buffer.byteLength(opening) + text.bytes + CLOSING.length;
  return reply.header("content-length", String(bytes));
}

async function* textsOf(listings: Listings, { text, moment }: Listing, opening: string) {
  yield Buffer.from(opening);
  if (text === undefined) yield* listings.textsOf(moment);
  else yield* text.parts;
  yield Buffer.from(CLOSING);
}

function etagOf({ digest }: Listing, opening: string): string | undefined {
  return digest === undefined ? undefined : `"${hash("sha256", digest + opening, "base64url")}"`;
}

/** Whether a field of RFC 9110, section 13.1.2 names a response: it compares tags weakly. */
function hasTag(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  return field.split(",").some((tag) => [etag, `W/${etag}`, "*"].includes(tag.trim()));
}

/** @returns admits a body, or throws; the function that it returns ends the body. */
function createBodyLimit(): (accountId: string) => () => void {
  const bodies = new Map<string, number>();
  let all = 0;
  return (accountId) => {
    const own = bodies.get(accountId) ?? 0;
    if (own >= BODIES_PER_ACCOUNT_MAX || all >= BODIES_MAX) throw serviceOverloaded;
    bodies.set(accountId, own + 1);
    all += 1;
    return () => {
      all -= 1;
      const left = (bodies.get(accountId) ?? 0) - 1;
      if (left > 0) bodies.set(accountId, left);
      else bodies.delete(accountId);
    };
  };
}
