/** The two eras of clients: those with `initialize`, and those of revision 2026-07-28. */
export const eras = ["2025", "2026"] as const;
export type Era = (typeof eras)[number];

export const VERSION_OF: Readonly<Record<Era, string>> = {
  "2025": "2025-11-25",
  "2026": "2026-07-28",
};

export const PATH = "/v1/mcp";

/** Both types that a client of 2025 must accept. */
export const ACCEPT = "application/json, text/event-stream";

/** The envelope that each request of 2026 carries. */
export const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": VERSION_OF["2026"],
  "io.modelcontextprotocol/clientCapabilities": {},
} as const;

export type Members = Readonly<Record<string, unknown>>;

/** A message to post: headers except the credential, and the body. */
export interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Members;
}

/** The headers that a client sends with every message of an era. */
export function headersOf(era: Era): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: ACCEPT,
    "mcp-protocol-version": VERSION_OF[era],
  };
}

/** A message without an id: it gets no response. */
export function notificationOf(era: Era, method: string, params: Members = {}): Posted {
  const json = { jsonrpc: "2.0", method };
  if (era === "2025") return { headers: headersOf(era), json: { ...json, params } };
  const headers = { ...headersOf(era), "mcp-method": method };
  return { headers, json: { ...json, params: { ...params, _meta: ENVELOPE } } };
}

export function requestOf(era: Era, method: string, params: Members = {}, id: unknown = 1): Posted {
  const { headers, json } = notificationOf(era, method, params);
  return { headers, json: { ...json, id } };
}

export const initialize = requestOf("2025", "initialize", {
  protocolVersion: VERSION_OF["2025"],
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

/** A tool call. */
export function callOf(era: Era, name: string, given: Members = {}, id: unknown = 1): Posted {
  const { headers, json } = requestOf(era, "tools/call", { name, arguments: given }, id);
  return { headers: era === "2025" ? headers : { ...headers, "mcp-name": name }, json };
}

export const EUR_USD = { base: "EUR", quote: "USD" } as const;

/** A read of EUR/USD. */
export const readOf = (era: Era, id: unknown = 1): Posted => callOf(era, "get_rate", EUR_USD, id);
