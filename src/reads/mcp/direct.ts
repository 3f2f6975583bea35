import {
  classifyInboundRequest,
  isJsonContentType,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { acceptsJson } from "./accept.ts";
import type { CallTool, ToolResult } from "./call-tool.ts";
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
  const serverInfo = JSON.stringify({ [SERVER_INFO_META_KEY]: info });
  return (request, body) => {
    const call = parseToolCall(tools, request, body);
    if (call === undefined) return undefined;
    const { tool, args, id, isModern } = call;
    return callTool(tool, request, args).then((toolResult) => {
      const result = isModern ? modernResult(toolResult, serverInfo) : legacyResult(toolResult);
      return {
        status: 200,
        body: `{"result":{${result}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`,
      };
    });
  };
}

// The results are composed as text, which takes less time than JSON.stringify.

/** @returns the members of a result, as clients with `initialize` get it. */
function legacyResult(result: ToolResult): string {
  return `"_meta":${result.meta},${contentOf(result)}`;
}

/** @returns the members of a result of the modern revision. */
function modernResult(result: ToolResult, serverInfo: string): string {
  const { meta } = result;
  const members = `${contentOf(result)},"resultType":"complete"`;
  const separator = meta === "{}" ? "" : ",";
  return `"_meta":${meta.slice(0, -1)}${separator}${serverInfo.slice(1)},${members}`;
}

const textContent = (text: string) => `{"type":"text","text":${JSON.stringify(text)}}`;

function contentOf({ text, note, isError }: ToolResult): string {
  const more = note === undefined ? "" : `,${textContent(note)}`;
  const content = `"content":[${textContent(text)}${more}]`;
  return `${content},${isError ? '"isError":true' : `"structuredContent":${text}`}`;
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

  const version = singleHeader(headers["mcp-protocol-version"]);
  const method = singleHeader(headers["mcp-method"]);
  const name = singleHeader(headers["mcp-name"]);
  if (isCanonicalCall(body, params)) {
    const { _meta: meta } = params;
    if (isModernEnvelope(meta)) {
      if (version === MODERN_REVISION && method === body.method && name === params.name) {
        return { tool, args, id: body.id, isModern: true };
      }
    } else if (isLegacyVersion(version) && isLegacyMeta(meta) && acceptsJson(headers.accept)) {
      return { tool, args, id: body.id, isModern: false };
    }
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
  if (!acceptsJson(headers.accept) || !isLegacyVersion(version)) return undefined;
  return { tool, args, id: body.id, isModern: false };
}

const metaOf = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
} as const;

function isLegacyVersion(version: string | undefined): boolean {
  return version === undefined || legacyVersions.has(version);
}

/**
 * Whether a call's message has its usual form. Together with an envelope of the modern revision or
 * with no envelope, and with headers that agree, this recognises a call without the SDK's
 * classification, which checks the message against several schemas and takes 6 to 15 µs.
 */
function isCanonicalCall(
  body: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
): boolean {
  const { id } = body;
  const membersOfParams = 1 + Number("arguments" in params) + Number("_meta" in params);
  return (
    body.jsonrpc === "2.0" &&
    (typeof id === "string" || Number.isSafeInteger(id)) &&
    hasOnly(body, 4) &&
    hasOnly(params, membersOfParams)
  );
}

/** Whether it is the `_meta` of a call without an envelope. */
function isLegacyMeta(meta: unknown): boolean {
  if (meta === undefined) return true;
  if (!isRecord(meta)) return false;
  const { progressToken: token } = meta;
  return hasOnly(meta, 1) && (typeof token === "string" || Number.isSafeInteger(token));
}

/** Whether it is the `_meta` of a call of the modern revision, in its usual form. */
function isModernEnvelope(meta: unknown): boolean {
  if (!isRecord(meta)) return false;
  const info = meta[metaOf.clientInfo];
  const capabilities = meta[metaOf.clientCapabilities];
  return (
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

function singleHeader(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}
