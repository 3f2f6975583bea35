import assert from "node:assert/strict";
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";

/** How the official client can connect, and the revision that it then agrees on with Kurs. */
export const eras = [
  { name: "by initialize", mode: "legacy", revision: "2025-11-25" },
  { name: "pinned to 2026-07-28", mode: { pin: "2026-07-28" }, revision: "2026-07-28" },
  { name: "choosing by itself", mode: "auto", revision: "2026-07-28" },
] as const satisfies readonly {
  readonly name: string;
  readonly mode: VersionNegotiationMode;
  readonly revision: string;
}[];

interface How {
  readonly mode: VersionNegotiationMode;
  /** The complete Authorization header. */
  readonly authorization: string;
}

/**
 * Connects the official client. Disposing of the result ends its connection.
 *
 * @throws the client's error when the server rejects it.
 */
export async function connectMcp(url: string, { mode, authorization }: How) {
  const client = new Client(
    { name: "kurs-test", version: "1.0.0" },
    { versionNegotiation: { mode } },
  );
  const requestInit = { headers: { Authorization: authorization } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/v1/mcp", url), { requestInit }));
  return {
    client,
    call: (name: string, given: Record<string, unknown> = {}) =>
      client.callTool({ name, arguments: given }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The only text of a result. */
export function textIn({ content }: CallToolResult): string {
  const [first] = content;
  assert.ok(content.length === 1 && first?.type === "text", JSON.stringify(content));
  return first.text;
}
