import type { Json, OpenApiDocument } from "../support/openapi.ts";
import type { Draws } from "../support/random.ts";
import { type Cast, PASSWORD } from "./fixtures.ts";
import type { Message } from "./message.ts";

/** The documented form of one operation's requests. */
export interface DocumentedRequest {
  /** `GET /v1/rates/{base}/{quote}`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly scheme: "ApiKey" | "Session" | undefined;
  readonly parameters: readonly Parameter[];
  /** The schema of the JSON body. */
  readonly bodySchema: Json | undefined;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Json;
}

interface DocumentedOperation {
  readonly security?: readonly Json[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
}

/** Reads every operation of the document. */
export function requestsOf(document: OpenApiDocument): readonly DocumentedRequest[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, operation]) => {
      const { security = [], parameters = [], requestBody } = operation as DocumentedOperation;
      const [scheme] = security.flatMap((one) => Object.keys(one));
      const method = name.toUpperCase();
      return {
        name: `${method} ${path}`,
        method,
        path,
        scheme: scheme as DocumentedRequest["scheme"],
        parameters,
        bodySchema: requestBody?.content["application/json"]?.schema,
      };
    }),
  );
}

/** The account of a request: "reader" for well-formed bytes, "breaker" for malformed ones. */
export type Sender = "reader" | "breaker";

/** Makes a request that is valid by the document. */
export function validRequest(
  request: DocumentedRequest,
  cast: Cast,
  draw: Draws,
  sender: Sender,
): Message {
  const { method, path, scheme, parameters, bodySchema } = request;
  const target = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name);
    return String(anyValueOf(parameter?.schema ?? {}, name, cast, draw));
  });
  const values = parameters
    .filter((one) => one.in === "query" && draw.chance(0.7))
    .map(({ name, schema }) => [name, String(anyValueOf(schema, name, cast, draw))] as const);
  // A page of one base begins after a pair with that base.
  const base = new Map(values).get("base") ?? "$&";
  const query = values.map(([name, value]) =>
    name === "after" ? `after=${value.replace(/^\w+(?=\/)/, base)}` : `${name}=${value}`,
  );
  const headers: [string, string][] = [["Host", "127.0.0.1"]];
  if (scheme !== undefined) {
    headers.push(["Authorization", `${scheme} ${credentialFor(request, cast, draw, sender)}`]);
  }
  const message = {
    method,
    target: query.length === 0 ? target : `${target}?${query.join("&")}`,
    version: "HTTP/1.1",
    headers,
  };
  if (bodySchema === undefined) return message;
  headers.push(["Content-Type", "application/json"]);
  return { ...message, body: Buffer.from(JSON.stringify(anyValueOf(bodySchema, "", cast, draw))) };
}

/** Whether an operation can end a key or a session, so that only `passing` may call it. */
export function endsThings({ method, path }: DocumentedRequest): boolean {
  return method === "DELETE" || path.endsWith("/logout");
}

/** Whether an operation ends so much that it has accounts of its own. */
function endsTheRest({ name }: DocumentedRequest): boolean {
  return name === "DELETE /v1/account" || name === "DELETE /v1/account/sessions";
}

function credentialFor(
  request: DocumentedRequest,
  cast: Cast,
  draw: Draws,
  sender: Sender,
): string {
  const { passing, spent, leaving } = cast;
  if (request.scheme === "ApiKey") {
    return draw.chance(0.05) ? spent.apiKey : cast[sender].apiKey;
  }
  if (endsTheRest(request)) return draw.one(leaving).session;
  if (endsThings(request)) return draw.one(passing.sessions);
  return request.method === "POST" ? passing.session : cast[sender].session;
}

const symbols = ["EUR", "USD", "EUR", "USD", "JPY", "CHF", "XXX", "A1", "ZZZZZZZZZZ"];

/** A value that a schema allows; for known names, one that often matches stored data. */
function anyValueOf(schema: Json, name: string, cast: Cast, draw: Draws): unknown {
  const known = knownValues[name];
  if (known !== undefined) return known(cast, draw);
  const { type, properties, minimum, maximum } = schema as {
    type?: string;
    properties?: Readonly<Record<string, Json>>;
    minimum?: number;
    maximum?: number;
  };
  if (type === "object") {
    const members = Object.entries(properties ?? {});
    return Object.fromEntries(
      members.map(([member, own]) => [member, anyValueOf(own, member, cast, draw)]),
    );
  }
  if (type === "integer") {
    const [least, most] = [minimum ?? 0, maximum ?? 1000];
    return draw.one([least, most, least + draw.below(most - least + 1)]);
  }
  if (type === "boolean") return draw.one([true, false]);
  if (type === "string") return draw.hexadecimal(1 + draw.below(20));
  throw new Error(`no values are known for ${name}: ${JSON.stringify(schema)}`);
}

type Values = (cast: Cast, draw: Draws) => string;

const knownValues: Readonly<Record<string, Values>> = {
  base: (_cast, draw) => draw.one(symbols),
  quote: (_cast, draw) => draw.one(symbols),
  after: (_cast, draw) => `${draw.one(symbols)}/${draw.one(symbols)}`,
  id: ({ passing, other }, draw) =>
    draw.one([
      ...[...passing.keyIds, ...passing.sessionIds, other.keyId],
      "00000000-0000-7000-8000-000000000000",
    ]),
  before: ({ passing, other }, draw) => draw.one([...passing.keyIds, other.keyId]),
  email: ({ passing, other }, draw) =>
    draw.one([
      ...[passing.email, other.email, "unknown@cast.example", `${draw.hexadecimal(8)}@new.example`],
      `${draw.hexadecimal(4)}+tag@sub.new.example`,
    ]),
  password: (_cast, draw) =>
    draw.one([PASSWORD, PASSWORD, "a wrong passphrase", draw.hexadecimal(8), "ä€😀".repeat(20)]),
  token: ({ passing }, draw) =>
    draw.one([passing.verification, passing.reset, draw.hexadecimal(64)]),
  name: (_cast, draw) =>
    draw.one(["x", "n".repeat(100), "Ä€😀", "<b>", '"quoted"', draw.hexadecimal(9)]),
};
