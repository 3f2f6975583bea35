/** A place where the server reads a text of a client, with the slowest text that is known for it. */
export interface LongText {
  readonly place: string;
  /** The most bytes that the server reads there, with what stands beside the text. */
  readonly limit: number;
  /** The most bytes of the text. */
  readonly bound: number;
  /** The slowest text of at most so many bytes, in latin1. */
  readonly slowest: (bytes: number) => string;
  /** A request, its headers and its body; § is the text. */
  readonly request: string;
  /** The statuses of the response to the longest text, and to a longer one. */
  readonly statuses: readonly [within: number, beyond: number];
}

/** A piece again and again, between two others. */
const again =
  (piece: string, before = "", after = "") =>
  (bytes: number): string =>
    before + piece.repeat((bytes - before.length - after.length) / piece.length) + after;

/** Unordered combining marks: NFKC sorts them in quadratic time. */
export const marks = (units: number): string =>
  "\u0344".repeat(units / 2) + "\u0334".repeat(units / 2);

const marksIn = (bytes: number) => Buffer.from(marks(bytes / 2)).toString("latin1");

/** An Origin of different letters: Punycode takes quadratic time. */
const letters = (bytes: number): string => {
  const codes = Array.from({ length: (bytes - 8) / 9 }, (_, index) => 0x4e00 + index);
  return `https://${encodeURIComponent(String.fromCodePoint(...codes))}`.padEnd(bytes, "a");
};

/** The parts of a request that limit a text and what stands beside it, and the status beyond. */
const parts = {
  head: [16_384, 413],
  body: [16_384, 413],
  /** A body over MCP. */
  message: [65_536, 413],
  /** A request of the fast path: node:http serves longer ones. */
  plain: [8_192, 200],
} as const;

/** What stands beside a text at most. */
const OTHERS = 500;

type Row = readonly [
  place: string,
  bound: keyof typeof parts | readonly [bytes: number, beyond: number],
  slowest: LongText["slowest"],
  request: string,
  within: number,
];

const login = "POST /v1/auth/login";
const verify = "POST /v1/auth/verification";
const mcp = "POST /v1/mcp";
const rpc = (method: string, params: string) =>
  `${mcp}\n\n{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
const convert = (base: string, amount: string) =>
  rpc(
    "tools/call",
    `{"name":"convert_currency","arguments":{"base":"${base}","quote":"USD","amount":"${amount}"}}`,
  );

const rows: readonly Row[] = [
  ["path", "head", again("%"), "GET /§", 404],
  ["path of the guide", "head", again("%41"), "GET /guide/§", 404],
  ["query", "head", again("+=+&"), "GET /healthz?§", 200],
  ["symbol in a path", "head", again("%20"), "GET /v1/rates/§/USD", 400],
  ["query: before", "head", again("%41"), "GET /v1/account/events?before=§", 400],
  ["query: limit", "head", again("9"), "GET /v1/account/pairs?limit=§", 400],
  ["query: after", "head", again("/"), "GET /v1/account/pairs?after=§", 400],
  ["id of a key", "head", again("%C4%B0"), "DELETE /v1/account/api-keys/§", 404],
  ["id of a session", "head", again("%C4%B0"), "DELETE /v1/account/sessions/§", 404],
  ["headers", "head", again("abcd: abcdefgh\r\n", "\r\n", "a:"), "GET /healthz\nX: §", 200],
  ["Host", "head", again("%41"), "GET /healthz\nHost: §", 200],
  [
    "API key",
    "head",
    again("a", "svc_live_"),
    "GET /v1/rates/EUR/USD?\nAuthorization: ApiKey §",
    401,
  ],
  ["session", "head", again("a", "svc_sess_"), "GET /v1/account\nAuthorization: Session §", 401],
  ["X-Forwarded-For", "head", again("::1,"), `${verify}\nX-Forwarded-For: §\n\n{"token":""}`, 400],
  ["an address in it", "head", again("%"), `${verify}\nX-Forwarded-For: §\n\n{"token":""}`, 400],
  ["If-None-Match", "head", again(","), "GET /v1/account/pairs?limit=1\nIf-None-Match: §", 200],
  [
    "Content-Type",
    "head",
    again(';a="', "application/json"),
    `${login}\nContent-Type: §\n\n{}`,
    400,
  ],
  [
    "Mcp-Name",
    "head",
    again("A", "=?base64?", "?="),
    `${mcp}\nMcp-Protocol-Version: 2026-07-28\nMcp-Name: §\n\n{}`,
    400,
  ],
  ["Accept", [1_024, 404], again(","), "GET /nothing\nAccept: §", 404],
  [
    "Accept over MCP",
    [1_024, 406],
    again(",", "", "*/*"),
    rpc("ping", "{}").replace("\n", "\nAccept: §\n"),
    200,
  ],
  ["Accept-Encoding", [1_024, 200], again(","), "GET /docs\nAccept-Encoding: §", 200],
  ["Origin over MCP", [512, 403], letters, `${mcp}\nOrigin: §\n\n{}`, 403],
  [
    "headers of a plain read",
    "plain",
    again("abcd: abcdefgh\r\n", "\r\n", "a:"),
    "GET /v1/rates/EUR/USD\nX: §",
    200,
  ],
  [
    "headers of a plain message",
    "plain",
    again("abcd: abcdefgh\r\n", "\r\n", "a:"),
    rpc("ping", "{}").replace("\n", "\nX: §\n"),
    200,
  ],
  ["traceparent", "plain", again(" ", "", "\xe9"), "GET /v1/rates/EUR/USD\nTraceparent: §", 200],
  ["JSON", "body", again('"__'), `${login}\n\n§`, 400],
  [
    "quoted email",
    "body",
    again("\\\\ ", '\\"', '\\"@a'),
    `${login}\n\n{"email":"§","password":"x"}`,
    400,
  ],
  ["email", "body", again("a."), `${login}\n\n{"email":"§","password":"x"}`, 400],
  [
    "password",
    [2_048, 400],
    marksIn,
    'POST /v1/auth/register\n\n{"email":"new@example.org","password":"§"}',
    400,
  ],
  ["name of a key", "body", marksIn, 'POST /v1/account/api-keys\n\n{"name":"§"}', 400],
  ["token of a mail", "body", marksIn, `${verify}\n\n{"token":"§"}`, 400],
  ["message over MCP", "message", again("["), rpc("ping", "§"), 400],
  ["name of a tool", "message", marksIn, rpc("tools/call", '{"name":"§"}'), 200],
  ["symbol over MCP", "message", again(" "), convert("§x", "1"), 200],
  ["amount over MCP", "message", again("9"), convert("EUR", "§"), 200],
  ["cursor over MCP", "message", again("="), rpc("tools/list", '{"cursor":"§"}'), 200],
  [
    "URI of a resource",
    [256, 400],
    again("&after=", "kurs://pairs?"),
    rpc("resources/read", '{"uri":"§"}'),
    200,
  ],
];

/** Every place where a text of a client may have more than 256 bytes. */
export const longTexts: readonly LongText[] = rows.map(
  ([place, bound, slowest, request, within]) => {
    const isPart = typeof bound === "string";
    const [limit, beyond] = isPart ? parts[bound] : bound;
    const statuses = [within, beyond] as const;
    return { place, limit, bound: isPart ? limit - OTHERS : limit, slowest, request, statuses };
  },
);

/** The bytes of a request with a text, with the credential that its path takes. */
export function bytesOf(
  { request }: Pick<LongText, "request">,
  text: string,
  credentials: { readonly apiKey: string; readonly session: string },
): string {
  const [head = "", template = ""] = request.split("\n\n");
  const [line = "", ...own] = head.split("\n").map((part) => part.replace("§", () => text));
  const body = template.replace("§", () => text);
  const isKeys = /\/v1\/(?:rates|mcp)/.test(line);
  const { apiKey, session } = credentials;
  const headers = new Map([
    ["Host", "localhost"],
    ["Authorization", isKeys ? `ApiKey ${apiKey}` : `Session ${session}`],
  ]);
  if (body !== "") headers.set("Content-Type", "application/json");
  if (body !== "") headers.set("Content-Length", String(body.length));
  for (const each of own) {
    const colon = each.indexOf(": ");
    headers.set(each.slice(0, colon), each.slice(colon + 2));
  }
  const lines = Array.from(headers, ([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
