/** What the page "Try it" can request. */
export type Wish =
  | { readonly kind: "read"; readonly base: string; readonly quote: string }
  | {
      readonly kind: "convert";
      readonly base: string;
      readonly quote: string;
      readonly amount: string;
    };

/** One request as it is sent, without the key. */
export interface Request {
  readonly method: "GET" | "POST";
  /** Relative to the service's address, without a leading slash. */
  readonly path: string;
  /** All headers except Authorization and Content-Type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** Conversion is an MCP tool; REST has only the rate. */
export function requestFor(wish: Wish): Request {
  const { kind, base, quote } = wish;
  if (kind === "read") {
    const path = `v1/rates/${encodeURIComponent(base)}/${encodeURIComponent(quote)}`;
    return { method: "GET", path, headers: {} };
  }
  const params = { name: "convert_currency", arguments: { base, quote, amount: wish.amount } };
  return {
    method: "POST",
    path: "v1/mcp",
    headers: { accept: "application/json, text/event-stream" },
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  };
}
