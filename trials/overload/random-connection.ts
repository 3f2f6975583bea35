import { callOf, PATH } from "../../test/reads/mcp/messages.ts";
import type { Draws } from "../../test/support/random.ts";

// Random sequences of requests on one connection: valid, invalid, unknown and half ones.

/** Bytes that a client sends, and the response that they may get. */
export interface Sent {
  readonly text: string;
  readonly statuses: readonly number[];
  /** What the body of a success contains: it shows that responses keep their order. */
  readonly contains?: string;
  /** The units that a response with one of the statuses up to 404 costs; a 503 costs none. */
  readonly units?: 1;
  readonly isHead?: true;
  readonly expectsContinue?: true;
  /** Whether the connection closes behind the response. */
  readonly isLast?: true;
}

export interface Credentials {
  readonly apiKey: string;
  readonly session: string;
}

const HOST = "Host: localhost\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";
const PROXIED = ["", "", "X-Forwarded-For: 203.0.113.9\r\n", "Via: 1.1 proxy\r\n"];
const JSON_TYPE = "Content-Type: application/json\r\n";
const pairs = ["EUR/USD", "EUR/GBP", "EUR/JPY", "EUR/CHF", "EUR/SEK"];

/** Every kind of request, and how often it is drawn. */
export const weights = {
  read: 8,
  unsupported: 2,
  head: 2,
  withBody: 1,
  health: 3,
  document: 2,
  keys: 2,
  nowhere: 2,
  reset: 2,
  expecting: 3,
  mcp: 3,
  chunked: 2,
  closing: 1,
  connect: 1,
  unknownMethod: 1,
  beyondAscii: 1,
  badChunk: 1,
  garbage: 1,
  tooLarge: 0.3,
  upgrade: 0.5,
};

/** A request, drawn by chance. */
export function drawRequest(draws: Draws, credentials: Credentials): Sent {
  return requestOf(draws.kind(weights), draws, credentials);
}

/** A request of a kind. */
export function requestOf(
  kind: keyof typeof weights,
  draws: Draws,
  { apiKey, session }: Credentials,
): Sent {
  const pair = draws.one(pairs);
  const [base, quote] = pair.split("/");
  const contains = `"base":"${base}","quote":"${quote}"`;
  const key = `Authorization: ApiKey ${apiKey}\r\n`;
  const proxied = draws.one(PROXIED);
  const head = (line: string, more = "") => `${line} HTTP/1.1\r\n${HOST}${proxied}${more}`;
  const body = (text: string) => `${JSON_TYPE}Content-Length: ${text.length}\r\n\r\n${text}`;
  const read = head(`GET /v1/rates/${pair}`, key);
  switch (kind) {
    case "read":
      return { text: `${read}\r\n`, statuses: [200], contains, units: 1 };
    case "unsupported":
      return { text: head("GET /v1/rates/EUR/XXX", `${key}\r\n`), statuses: [404], units: 1 };
    case "head":
      return {
        text: head(`HEAD /v1/rates/${pair}`, `${key}\r\n`),
        statuses: [200],
        units: 1,
        isHead: true,
      };
    case "withBody":
      return { text: `${read}Content-Length: 3\r\n\r\nabc`, statuses: [200], contains, units: 1 };
    case "health":
      return { text: head("GET /healthz", "\r\n"), statuses: [200] };
    case "document":
      return { text: head("GET /openapi.json", "\r\n"), statuses: [200], contains: '"openapi"' };
    case "keys": {
      const text = head("GET /v1/account/api-keys", `Authorization: Session ${session}\r\n\r\n`);
      return { text, statuses: [200], contains: '"api_keys"' };
    }
    case "nowhere":
      return { text: head("DELETE /nowhere", "\r\n"), statuses: [404] };
    case "reset": {
      const text = head("POST /v1/auth/password-reset", body('{"email":"eve@example.org"}'));
      return { text, statuses: [202, 429] };
    }
    case "expecting": {
      const text = head("POST /v1/auth/login", `Expect: 100-continue\r\n${body("{}")}`);
      return { text, statuses: [400], expectsContinue: true };
    }
    case "mcp": {
      const { headers, json } = callOf("2025", "get_rate", { base, quote });
      const lines = Object.entries(headers)
        .filter(([name]) => name !== "content-type")
        .map(([name, value]) => `${name}: ${value}\r\n`);
      const text = head(`POST ${PATH}`, key + lines.join("") + body(JSON.stringify(json)));
      return { text, statuses: [200], contains, units: 1 };
    }
    case "chunked": {
      const text = head("POST /v1/auth/login", `${JSON_TYPE}${CHUNKED}2\r\n{}\r\n0\r\n\r\n`);
      return { text, statuses: [400] };
    }
    case "closing":
      return {
        text: `${read}Connection: close\r\n\r\n`,
        statuses: [200],
        contains,
        units: 1,
        isLast: true,
      };
    case "connect": {
      const text = `CONNECT x:443 HTTP/1.1\r\n${draws.one(["", "Content-Length: 9\r\n"])}\r\n`;
      return { text, statuses: [405], isLast: true };
    }
    case "unknownMethod":
      return { text: head("FOO /healthz", "\r\n"), statuses: [405], isLast: true };
    case "beyondAscii":
      return { text: head("GET /v1/rates/\xff/USD", "\r\n"), statuses: [400], isLast: true };
    case "badChunk": {
      const text = draws.chance(0.5)
        ? `${read}${CHUNKED}ZZ\r\n`
        : head("POST /v1/auth/login", `Expect: 100-continue\r\n${JSON_TYPE}${CHUNKED}ZZ\r\n`);
      return { text, statuses: [400], expectsContinue: true, isLast: true };
    }
    case "garbage":
      return { text: "garbage\r\n\r\n", statuses: [400], isLast: true };
    case "tooLarge":
      return { text: head("GET /", `X: ${"a".repeat(17_000)}`), statuses: [413], isLast: true };
    case "upgrade":
      return {
        text: head("GET /healthz", "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
        statuses: [200],
        isLast: true,
      };
  }
}

/** Responses as they came, in order, and what is no complete response behind them. */
export interface Received {
  readonly responses: readonly {
    readonly status: number;
    readonly body: string;
    readonly closes: boolean;
  }[];
  readonly rest: string;
}

/** Splits received bytes into the responses to requests. @throws for bytes that are none. */
export function receivedOf(text: string, sent: readonly Sent[]): Received {
  const responses: { status: number; body: string; closes: boolean }[] = [];
  let start = 0;
  let mayContinue = true;
  while (start < text.length) {
    const request = sent[responses.length];
    const headEnd = text.indexOf("\r\n\r\n", start);
    const head = text.slice(start, headEnd < 0 ? undefined : headEnd + 2);
    if (request === undefined) throw new Error(`bytes behind the last response: ${head}`);
    if (headEnd < 0) {
      if (!head.startsWith("HTTP/1.1 ".slice(0, head.length))) throw new Error(`no head: ${head}`);
      break;
    }
    const status = Number(
      /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n(?:[\w-]+: [^\r\n]*\r\n)*$/.exec(head)?.[1],
    );
    if (Number.isNaN(status)) throw new Error(`no head: ${head.slice(0, 500)}`);
    if (status === 100) {
      if (request.expectsContinue !== true || !mayContinue) throw new Error("an unexpected 100");
      mayContinue = false;
      start = headEnd + 4;
      continue;
    }
    const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0);
    const end = headEnd + 4 + (request.isHead === true ? 0 : length);
    if (text.length < end) break;
    const closes = /\r\nconnection: close\r\n/i.test(head);
    responses.push({ status, body: text.slice(headEnd + 4, end), closes });
    start = end;
    mayContinue = true;
  }
  return { responses, rest: text.slice(start) };
}
