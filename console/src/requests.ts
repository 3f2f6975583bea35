interface Wished {
  readonly base: string;
  readonly quote: string;
  /** Of a past rate, such as 2025-10-14; by default the newest. */
  readonly date?: string | undefined;
}

/** What the page "Try it" can request. */
export type Wish =
  | (Wished & { readonly kind: "read" })
  | (Wished & { readonly kind: "convert"; readonly amount: string });

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
  const { kind, base, quote, date } = wish;
  if (kind === "read") {
    const path = `v1/rates/${encodeURIComponent(base)}/${encodeURIComponent(quote)}`;
    const end = new Date(`${date}T23:59:59Z`).toUTCString();
    return { method: "GET", path, headers: date === undefined ? {} : { "Accept-Datetime": end } };
  }
  const given = { base, quote, amount: wish.amount, date };
  const params = { name: "convert_currency", arguments: given };
  return {
    method: "POST",
    path: "v1/mcp",
    headers: { accept: "application/json, text/event-stream" },
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  };
}
