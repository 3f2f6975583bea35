import {
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCMessage,
  McpServer,
  METHOD_NOT_FOUND,
  type StandardSchemaWithJSON,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { TObject } from "typebox";
import { Failure } from "../shared/failure.ts";
import { acceptsJson, BOTH_TYPES } from "./accept.ts";
import { shortened } from "./bounds.ts";
import type { CallTool } from "./call-tool.ts";
import { isRecord } from "./records.ts";
import type { McpRequest, McpResponse } from "./request.ts";
import type { Arguments, Tools } from "./tools.ts";

/** How the server names itself to clients. */
export interface ServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** The tools change with the program only: clients may keep the list for an hour. */
const LIST_TTL_MS = 3_600_000;

const instructions =
  "Exchange rates exactly as their publishers wrote them. Rates and amounts are decimal strings: " +
  "keep them as text. Pairs are direct, so EUR/USD does not give USD/EUR. get_rate and " +
  "convert_currency cost one unit of a monthly quota each; get_usage, which tells what is left, " +
  "costs nothing. On quota_exceeded wait for reset_at.";

/** The request's headers that the protocol knows; the credential stays here. */
const protocolHeaders = [
  "content-type",
  "accept",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
] as const;

/**
 * Answers whatever the protocol knows through the official SDK: a server for each request, so that
 * no state is left between them.
 *
 * @param body the parsed body; `undefined` when it is no JSON.
 * @throws {Failure} `unauthorized` when a tool found the key refused.
 */
export type HandleWithSdk = (request: McpRequest, body: unknown) => Promise<McpResponse>;

export function createSdkHandler(
  tools: Tools,
  callTool: CallTool,
  info: ServerInfo,
): HandleWithSdk {
  return async (request, body) => {
    let refused: Failure | undefined;
    const newServer = () =>
      serverOf(tools, info, async (name, given) => {
        const tool = tools.get(name);
        if (tool === undefined) throw new Error(`there is no tool ${name}`);
        return callTool(tool, request, given).catch((error: unknown) => {
          if (error instanceof Failure) refused = error;
          throw error;
        });
      });
    const response = await respond(newServer, webRequestOf(request, body), body);
    const answer = isStream(response)
      ? await withoutStream(response, body)
      : { status: response.status, body: await response.text() };
    if (refused !== undefined) throw refused;
    return answer;
  };
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

/** There is nothing to listen to here, so the one method that streams is none of ours. */
async function withoutStream(response: Response, message: unknown): Promise<McpResponse> {
  await response.body?.cancel();
  const id = isRecord(message) ? message.id : null;
  const error = { code: METHOD_NOT_FOUND, message: "Method not found" };
  return { status: 404, body: JSON.stringify({ jsonrpc: "2.0", error, id }) };
}

async function respond(newServer: () => McpServer, request: Request, parsedBody: unknown) {
  const given = parsedBody === undefined ? {} : { parsedBody };
  if (!(await isLegacyRequest(request, parsedBody))) {
    // Legacy clients would be answered with an event stream here.
    return createMcpHandler(newServer, { legacy: "reject" }).fetch(request, given);
  }
  const server = newServer();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(withShortError(message), options);
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, given);
  } finally {
    await server.close();
  }
}

/** zod writes some 240 bytes about each value of a wrong type into the message of the error. */
function withShortError(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message)) return message;
  const { error } = message;
  return { ...message, error: { ...error, message: shortened(error.message) } };
}

function serverOf(
  tools: Tools,
  info: ServerInfo,
  call: (name: string, given: Arguments) => ReturnType<CallTool>,
): McpServer {
  const hint = { ttlMs: LIST_TTL_MS, cacheScope: "public" } as const;
  const server = new McpServer(info, {
    capabilities: { tools: { listChanged: false } },
    instructions,
    cacheHints: { "tools/list": hint, "server/discover": hint },
  });
  for (const { name, title, description, annotations, ...schemas } of tools.values()) {
    const inputSchema = advertisedOnly(schemas.inputSchema);
    const outputSchema = advertisedOnly(schemas.outputSchema);
    const about = { title, description, annotations, inputSchema, outputSchema };
    server.registerTool(name, about, (given) => call(name, given));
  }
  return server;
}

/** A schema that clients are told and that nothing is checked against: the tools judge. */
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
  // The address is nobody's: no part of the SDK looks at it. What is no JSON, the SDK refuses.
  const body = parsedBody === undefined ? { body: text } : {};
  return new Request("http://localhost/v1/mcp", { method: "POST", headers: kept, ...body });
}
