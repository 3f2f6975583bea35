/** What the page "Try it" asks the service for. */
export type Wish =
  | { readonly kind: "read"; readonly base: string; readonly quote: string }
  | {
      readonly kind: "convert";
      readonly base: string;
      readonly quote: string;
      readonly amount: string;
    };

/** One request as it goes out; the key comes beside it. */
export interface Request {
  readonly method: "GET" | "POST";
  /** Beneath the service's address, without a slash in front. */
  readonly path: string;
  /** Besides Authorization and the body's type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** Converting is a tool of MCP: over REST there is the rate alone. */
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
