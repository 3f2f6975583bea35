import {
  type CallToolResult,
  createMcpHandler,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isLegacyRequest,
  type JSONRPCMessage,
  McpServer,
  METHOD_NOT_FOUND,
  type StandardSchemaWithJSON,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { TObject } from "typebox";
import { Failure } from "../../platform/shared/failure.ts";
import type { Coverage } from "../../rates/coverage/coverage.ts";
import { acceptsJson, BOTH_TYPES } from "./accept.ts";
import { shortened } from "./bounds.ts";
import type { CallTool, ToolResult } from "./call-tool.ts";
import { instructions } from "./instructions.ts";
import { isRecord, MCP_ROUTE, type McpRequest, type McpResponse } from "./request.ts";
import { addResources } from "./resources.ts";
import type { Arguments, Tools } from "./tools.ts";

/** The server's names and version, as clients see them. */
export interface ServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** These lists change only with the program: clients may cache them for an hour. */
const LIST_TTL_MS = 3_600_000;

/** The headers that the protocol uses; the credential is not passed to the SDK. */
const protocolHeaders = [
  "content-type",
  "accept",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
] as const;

/**
 * Handles every message of the protocol with the official SDK: one server per request, so that no
 * state is kept between requests.
 *
 * @param body the parsed body; `undefined` when it is no JSON.
 * @throws {Failure} `unauthorized` when a tool rejected the key.
 */
export type HandleWithSdk = (request: McpRequest, body: unknown) => Promise<McpResponse>;

/** What the server offers. */
interface Offer {
  readonly tools: Tools;
  readonly coverage: Coverage;
}

export function createSdkHandler(
  offer: Offer,
  callTool: CallTool,
  info: ServerInfo,
): HandleWithSdk {
  return async (request, received) => {
    const body = Array.isArray(received) ? withoutCancellations(received) : received;
    let rejectedKey: Failure | undefined;
    const newServer = () =>
      serverOf(offer, info, async (name, args) => {
        const tool = offer.tools.get(name);
        if (tool === undefined) throw new Error(`there is no tool ${name}`);
        return callTool(tool, request, args).then(toSdkResult, (error: unknown) => {
          if (error instanceof Failure) rejectedKey = error;
          throw error;
        });
      });
    const response = await respond(newServer, webRequestOf(request, body), body);
    const result = isStream(response)
      ? await withoutStream(response, body)
      : { status: response.status, body: withShortErrors(await response.text()) };
    if (rejectedKey !== undefined) throw rejectedKey;
    return result;
  };
}

/** The order of the members is that of the response. */
function toSdkResult({ text, note, isError, meta }: ToolResult): CallToolResult {
  const _meta = JSON.parse(meta) as Record<string, unknown>;
  const texts = note === undefined ? [text] : [text, note];
  const content = texts.map((each) => ({ type: "text" as const, text: each }));
  if (isError) return { _meta, content, isError };
  return { _meta, content, structuredContent: JSON.parse(text) as Record<string, unknown> };
}

/**
 * Removes the batch's cancellations: its calls get one response together, so none comes in time,
 * and the SDK (2.4) never responds to a batch in which a call is cancelled. A batch of nothing but
 * cancellations does no harm and stays as it is.
 */
function withoutCancellations(batch: readonly unknown[]): readonly unknown[] {
  const kept = batch.filter((message) => !isCancellation(message));
  return kept.length === 0 ? batch : kept;
}

function isCancellation(message: unknown): boolean {
  return isRecord(message) && message.method === "notifications/cancelled" && !("id" in message);
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

/** Kurs has no events to stream, so it does not support the one method that streams. */
async function withoutStream(response: Response, message: unknown): Promise<McpResponse> {
  await response.body?.cancel();
  const id = isRecord(message) ? message.id : null;
  const error = { code: METHOD_NOT_FOUND, message: "Method not found" };
  return { status: 404, body: JSON.stringify({ jsonrpc: "2.0", error, id }) };
}

async function respond(newServer: () => McpServer, request: Request, parsedBody: unknown) {
  const options = parsedBody === undefined ? {} : { parsedBody };
  if (!(await isLegacyRequest(request, parsedBody))) {
    // This handler would send legacy clients an event stream.
    return createMcpHandler(newServer, { legacy: "reject" }).fetch(request, options);
  }
  const server = newServer();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, options);
  } finally {
    await server.close();
  }
}

/** @param text a message or a batch. In its strings the quotes are escaped. */
function withShortErrors(text: string): string {
  if (!text.includes('"error":{')) return text;
  const sent = JSON.parse(text) as JSONRPCMessage | JSONRPCMessage[];
  return JSON.stringify(Array.isArray(sent) ? sent.map(withShortError) : withShortError(sent));
}

/**
 * The SDK reports parameters of a wrong type, except those of tools, as its own failure, whose
 * message is the list of zod's issues: some 240 bytes about each value.
 */
function withShortError(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message)) return message;
  const { error } = message;
  const issue = error.code === INTERNAL_ERROR ? firstIssue(error.message) : undefined;
  const code = issue === undefined ? error.code : INVALID_PARAMS;
  return { ...message, error: { ...error, code, message: shortened(issue ?? error.message) } };
}

/** @returns the first of zod's issues in one line; `undefined` when the text is no such list. */
function firstIssue(text: string): string | undefined {
  if (!text.startsWith("[\n  {")) return undefined;
  const [issue] = JSON.parse(text) as { readonly path: unknown[]; readonly message: string }[];
  const { path, message } = issue ?? { path: [], message: text };
  return `Invalid ${path.join(".")}: ${message.replace("Invalid input: ", "")}`;
}

function serverOf(
  { tools, coverage }: Offer,
  info: ServerInfo,
  call: (name: string, args: Arguments) => Promise<CallToolResult>,
): McpServer {
  const hint = { ttlMs: LIST_TTL_MS, cacheScope: "public" } as const;
  const server = new McpServer(info, {
    capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
    instructions,
    cacheHints: {
      "tools/list": hint,
      "resources/list": hint,
      "resources/templates/list": hint,
      "server/discover": hint,
    },
  });
  addResources(server, coverage);
  for (const { name, title, description, annotations, units, ...schemas } of tools.values()) {
    const inputSchema = advertisedOnly(schemas.inputSchema);
    const outputSchema = advertisedOnly(schemas.outputSchema);
    const _meta = { "kurs/units": units };
    const about = { title, description, annotations, inputSchema, outputSchema, _meta };
    server.registerTool(name, about, (args) => call(name, args));
  }
  return server;
}

/** A schema that is only advertised: the tools themselves validate the arguments. */
function advertisedOnly(schema: TObject): StandardSchemaWithJSON<Arguments, Arguments> {
  const json = { input: () => ({ ...schema }), output: () => ({ ...schema }) };
  const validate = (value: unknown) => ({ value: value as Arguments });
  return { "~standard": { version: 1, vendor: "kurs", jsonSchema: json, validate } };
}

function webRequestOf({ headers, body: text }: McpRequest, parsedBody: unknown): Request {
  const kept = new Headers();
  for (const name of protocolHeaders) {
    const value = headers[name];
    if (typeof value === "string") kept.set(name, value);
  }
  if (acceptsJson(headers.accept)) kept.set("accept", BOTH_TYPES);
  // The URL is a placeholder: the SDK does not use it. The SDK itself rejects invalid JSON.
  const body = parsedBody === undefined ? { body: text } : {};
  return new Request(`http://localhost${MCP_ROUTE}`, { method: "POST", headers: kept, ...body });
}
