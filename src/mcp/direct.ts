import {
  type CallToolResult,
  classifyInboundRequest,
  isJsonContentType,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { acceptsJson } from "./accept.ts";
import type { CallTool } from "./call-tool.ts";
import { isRecord, type McpRequest, type McpResponse } from "./request.ts";
import type { ServerInfo } from "./sdk.ts";
import type { Arguments, Tool, Tools } from "./tools.ts";

/** The revision without `initialize` that this version of the SDK supports. */
const MODERN_REVISION = "2026-07-28";

const legacyVersions = new Set<string>(SUPPORTED_PROTOCOL_VERSIONS);

/** A well-formed call of one of our tools. */
interface ParsedToolCall {
  readonly tool: Tool;
  readonly args: Arguments;
  readonly id: unknown;
  readonly isModern: boolean;
}

/**
 * Handles calls of our own tools without the SDK's server, which costs ten times as much. It
 * recognises only calls that it understands completely, and its response is the SDK's byte for
 * byte: a test sends the same requests to both implementations. See
 * docs/decisions/0006-direct-mcp-calls.md.
 *
 * @returns `undefined` for every request that the SDK must handle.
 */
export type CallDirectly = (request: McpRequest, body: unknown) => Promise<McpResponse> | undefined;

export function createDirectCalls(
  tools: Tools,
  callTool: CallTool,
  info: ServerInfo,
): CallDirectly {
  const serverInfo = { [SERVER_INFO_META_KEY]: info };
  return (request, body) => {
    const call = parseToolCall(tools, request, body);
    if (call === undefined) return undefined;
    const { tool, args, id, isModern } = call;
    const toResponse = (toolResult: CallToolResult): McpResponse => {
      const _meta = { ...toolResult._meta, ...serverInfo };
      const result = isModern ? { ...toolResult, resultType: "complete", _meta } : toolResult;
      return { status: 200, body: JSON.stringify({ result, jsonrpc: "2.0", id }) };
    };
    return callTool(tool, request, args).then(toResponse);
  };
}

function parseToolCall(
  tools: Tools,
  { headers }: McpRequest,
  body: unknown,
): ParsedToolCall | undefined {
  if (!isRecord(body) || body.method !== "tools/call" || !("id" in body)) return undefined;
  const { params } = body;
  if (!isRecord(params) || typeof params.name !== "string") return undefined;
  if ("task" in params || "requestState" in params || "inputResponses" in params) return undefined;
  const tool = tools.get(params.name);
  const args = params.arguments ?? {};
  if (tool === undefined || params.arguments === null || !isRecord(args)) return undefined;
  if (!isJsonContentType(headers["content-type"] ?? null)) return undefined;

  const version = textOf(headers["mcp-protocol-version"]);
  const method = textOf(headers["mcp-method"]);
  const name = textOf(headers["mcp-name"]);
  if (isCanonicalCall(body, params, { version, method, name })) {
    return { tool, args, id: body.id, isModern: true };
  }
  const route = classifyInboundRequest({
    httpMethod: "POST",
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  });
  if (route.kind === "modern") {
    if (route.classification.revision !== MODERN_REVISION) return undefined;
    if (version === undefined || method === undefined || name !== params.name) return undefined;
    return { tool, args, id: body.id, isModern: true };
  }
  if (route.kind !== "legacy") return undefined;
  if (!acceptsJson(headers.accept)) return undefined;
  if (version !== undefined && !legacyVersions.has(version)) return undefined;
  return { tool, args, id: body.id, isModern: false };
}

const metaOf = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
} as const;

/**
 * Recognises a call of the modern revision in its usual form, with headers and body that agree in
 * everything, without the SDK's classification, which checks the message against several schemas
 * and takes 6 µs.
 */
function isCanonicalCall(
  body: Record<string, unknown>,
  params: Record<string, unknown>,
  headers: Readonly<Record<"version" | "method" | "name", string | undefined>>,
): boolean {
  const { _meta: meta } = params;
  if (headers.version !== MODERN_REVISION || headers.method !== body.method) return false;
  if (headers.name !== params.name || !isRecord(meta) || body.jsonrpc !== "2.0") return false;
  if (typeof body.id !== "string" && !Number.isSafeInteger(body.id)) return false;
  const info = meta[metaOf.clientInfo];
  const capabilities = meta[metaOf.clientCapabilities];
  return (
    hasOnly(body, 4) &&
    hasOnly(params, "arguments" in params ? 3 : 2) &&
    hasOnly(meta, info === undefined ? 2 : 3) &&
    meta[metaOf.protocolVersion] === MODERN_REVISION &&
    isRecord(capabilities) &&
    hasOnly(capabilities, 0) &&
    (info === undefined || isCanonicalInfo(info))
  );
}

/** Whether the client's name and version, which are optional, are in their usual form. */
function isCanonicalInfo(info: unknown): boolean {
  return (
    isRecord(info) &&
    hasOnly(info, 2) &&
    typeof info.name === "string" &&
    typeof info.version === "string"
  );
}

/** Whether a record has `count` members: the ones that were checked, and no others. */
function hasOnly(record: Record<string, unknown>, count: number): boolean {
  return Object.keys(record).length === count;
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}
