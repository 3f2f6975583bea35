import fc from "fast-check";
import { ACCEPT } from "../../../reads/mcp/messages.ts";
import { plainRead } from "../../../support/raw-connection.ts";

// The table of requests, in latin1, that the fast path and node:http must treat alike. KEY stands
// for the credential.

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

/** The headers that clients, proxies, networks and tracers send with a read, by their kind. */
export const headersOf: Readonly<Record<string, string>> = {
  programs: `User-Agent: Go-http-client/1.1
Accept: */*
accept-encoding: gzip, deflate
connection: keep-alive
sec-fetch-mode: cors`,
  "a page in Chrome": `Connection: keep-alive
Cache-Control: no-cache
sec-ch-ua: "Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"
sec-ch-ua-mobile: ?0
User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36
Origin: https://page.example
Referer: https://page.example/
Priority: u=1, i
Accept-Language: de-DE,de;q=0.9,en;q=0.8`,
  "Firefox over a proxy of HTTP/2": "origin: https://page.example\nte: trailers",
  "a page with many cookies": `Cookie: ${"session=0123456789abcdef; ".repeat(150)}last=1`,
  "nginx, Varnish and HAProxy": `X-Forwarded-For: 192.0.2.7
Via: 1.1 varnish (Varnish/7.6)
X-Unique-ID: C0000207:D431_7F000001:1F90_6921E3A2_0001:0A2B
Forwarded: for="[2001:db8::7]:4711";proto=https;by=203.0.113.43`,
  "a proxy without keep-alive": "X-Forwarded-For: 192.0.2.7\nConnection: close",
  Apache: "X-Forwarded-Server: proxy.example.org\nConnection: Keep-Alive",
  Cloudflare: `CF-RAY: 9a1b2c3d4e5f6789-BER
CF-Visitor: {"scheme":"https"}
CDN-Loop: cloudflare; loops=1
CF-IPCity: K\u00c3\u00b6ln`,
  "Amazon, Google and Azure": `X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678
X-Cloud-Trace-Context: ${TRACE}/67667974448284343;o=1
X-Azure-Ref: 20261122T120000Z-abc`,
  tracers: `traceparent: 00-${TRACE}-${SPAN}-01
tracestate: vendor=a,other=b
baggage: user=a%20b,tenant=1
x-datadog-tags: _dd.p.tid=640cfd8d00000000
b3: ${TRACE}-${SPAN}-1
newrelic: eyJ2IjpbMCwxXX0=`,
};

const READ = "GET /v1/rates/EUR/USD";
const each = (text: string, line: (value: string) => string) => text.split(" ").map(line);
const bytes = ["\0", "\u001b", "\u007f", "\u00e4", "\u00ff", "\t", "\v"];

/** What each part of a read may be instead of what it mostly is. */
const odd = {
  start: [
    ...each(
      "get Get HEAD Head POST OPTIONS FETCH \tGET QUERY M-SEARCH",
      (method) => `${method} /v1/rates/EUR/USD HTTP/1.1`,
    ),
    ...each(
      "eur/Usd EUR/XXX EUR/CHF E/USD EUR/USDUSDUSDUSD %45UR/USD %20eur%20/USD EUR/%zz /USD EUR/USD/ " +
        "EUR EUR/USD? EUR/USD?at=b EUR/USD#a EUR/U-D \u00e4\u00f6/USD EUR/%00 %0d%0a/USD " +
        "../rates/EUR/USD __proto__/USD %c0%af/USD EUR/USD;a=b EUR/USD%3fa=b EUR%2fUSD EUR\t/USD",
      (pair) => `GET /v1/rates/${pair} HTTP/1.1`,
    ),
    ...each(
      "/V1/rates/EUR/USD /v1/RATES/EUR/USD //v1/rates/EUR/USD /v1/./rates/EUR/USD /docs /metrics * " +
        "http://kurs/v1/rates/EUR/USD /.env //evil.example/v1/rates/EUR/USD /v2/rates/EUR/USD " +
        "/assets/../../package.json /openapi.json",
      (path) => `GET ${path} HTTP/1.1`,
    ),
    ...each("HTTP/1.0 http/1.1 HTTP/1.2 HTTP/0.9 HTTP/2.0 HTTP/1.1\t ", (end) => `${READ} ${end}`),
    "GET /v1/rates/EUR /USD HTTP/1.1",
    "GET /v1/rates/' OR '1'='1/USD HTTP/1.1",
  ],
  host: [
    ...each(
      "kurs:8080 [::1] [::1]:1 [v1.a:b] [::1 a:b k\u00e4 , a%20b a%2 kurs:123456 :80  kurs/v1 " +
        "user@kurs http://kurs kurs:http",
      (host) => `Host: ${host}`,
    ),
    ..."HOST: kurs|host:127.0.0.1|Host:|Host: a b|Host:  kurs|Host: kurs |X: no host".split("|"),
    "Host: kurs\r\nHost: other",
  ],
  key: [
    ...(
      "AUTHORIZATION: APIKEY KEY|authorization:ApiKey KEY|Authorization: ApiKey  KEY|X: no key|" +
      "Authorization:  ApiKey KEY|Authorization: ApiKey KEY |Authorization: ApiKey\tKEY|" +
      "Authorization: ApiKeyKEY|Authorization: Bearer KEY|Authorization: Session KEY|" +
      "Authorization: ApiKey KEY, ApiKey KEY|Authorization: ApiKey KEY KEY|Authorization:|" +
      'Authorization: ApiKey "KEY"|Authorization: ApiKey |Authorization: ApiKey|' +
      "Authorization: ApiKey KEY\u00e4|Authorization: ApiKey KEY\0|Authorization: ApiKey KEY0|" +
      "Authorization: \u00c4ApiKey KEY"
    ).split("|"),
    ...["KEY", "x"].flatMap((key) => [
      `Authorization: ApiKey KEY\r\nAuthorization: ApiKey ${key}`,
      `Authorization: ApiKey ${key}\r\nAuthorization: ApiKey KEY`,
    ]),
  ],
  line: [
    ...each(
      "via X-Request-Id traceparent cookie x_y.z~! origin Origin ORIGIN if-none-match content-type " +
        "te trailer proxy-connection range x-forwarded- __proto__ http2-settings x-original-url " +
        "access-control-request-method x-http-method-override",
      (name) => `${name}: a: b`,
    ),
    ...["via:a", "via:", "via:  a", "via:\ta", "via: a ", "via: a\t", `via: ${"a".repeat(2040)}`],
    ...bytes.flatMap((byte) => [`via: a${byte}b`, `v${byte}ia: a`]),
    ...[8100, 17_000].map((count) => `via: ${"a".repeat(count)}`),
    `${"via: a\r\n".repeat(200)}via: a`,
    ...each(
      "keep-alive Keep-Alive close CLOSE upgrade keep-alive,close",
      (option) => `Connection: ${option}`,
    ),
    ...each("0 5 x +1", (length) => `Content-Length: ${length}`),
    "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: 5\r\nExpect: x",
    ...["chunked", "gzip", "chunked\r\nContent-Length: 5"].map(
      (how) => `Transfer-Encoding: ${how}`,
    ),
    ..."Expect: 100-continue|Expect: x|Upgrade: websocket|Keep-Alive: timeout=5|a b: c|: a".split(
      "|",
    ),
    ..." folded|\tfolded|no colon|Host : kurs||a: b\nc: d|Transfer-Encoding : chunked".split("|"),
    "Proxy-Connection: close",
  ],
  /** In place of one of the line breaks. */
  end: ["\n", "\r", "\r\r\n", "\r\n\r\n"],
  body: [
    ...["hello", "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "\r\n", "\0", plainRead("KEY")],
    `0\r\n\r\n${plainRead("KEY")}`,
  ],
} as const;

export type Parts = { readonly [Part in keyof typeof odd]?: string } & { readonly at?: number };

/** @param at where the unusual line and the unusual end of a line are. */
export function textOf({ start, host = "Host: kurs", at = 0, end, line, ...more }: Parts): string {
  const { key = "Authorization: ApiKey KEY", body = "" } = more;
  const lines = [host, key];
  if (line !== undefined) lines.splice(at % 3, 0, line);
  const parts = [start ?? `${READ} HTTP/1.1`, ...lines, ""];
  const breaks = parts.map((_, index) => (index === at % parts.length ? end : undefined) ?? "\r\n");
  return parts.map((part, index) => part + breaks[index]).join("") + body;
}

/** Reads with one unusual part. */
export const oddReads = Object.entries(odd).flatMap(([part, values]): Parts[] =>
  values.flatMap((value) => [0, 2].map((at) => ({ [part]: value, at }))),
);

/** Mostly as usual. */
const mostly = (values: readonly string[], share: number) =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: share });

/** Reads with any number of unusual parts. */
export const someOddRead = fc.record({
  start: mostly(odd.start, 1),
  host: mostly(odd.host, 1),
  key: mostly(odd.key, 1),
  line: mostly(odd.line, 4),
  end: mostly(odd.end, 1),
  body: mostly(odd.body, 1),
  at: fc.nat(4),
}) as fc.Arbitrary<Parts>;

const CALL = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "get_rate", arguments: { base: "EUR", quote: "USD" } },
});

/** The lines of an MCP call that the fast path serves. */
export const callLines = [
  "Host: 127.0.0.1",
  "Authorization: ApiKey KEY",
  "Content-Type: application/json",
  `Content-Length: ${CALL.length}`,
  `Accept: ${ACCEPT}`,
  "Mcp-Protocol-Version: 2025-11-25",
];

export const callOf = (lines: readonly string[] = callLines, body = CALL) =>
  ["POST /v1/mcp HTTP/1.1", ...lines, "", body].join("\r\n");

/** Calls with something unusual: other lines, another body. */
export const oddCalls: readonly string[] = [
  ...callLines.map((_, at) => callOf(callLines.with(at, "via: a"))),
  ...(
    "Content-Encoding: gzip|Origin: https://evil.example|Origin: http://localhost|Connection: close|" +
    "Mcp-Method: tools/call|Mcp-Name: get_rate|Transfer-Encoding: chunked|Via: a\0b"
  )
    .split("|")
    .map((line) => callOf([...callLines, line])),
  callOf(callLines.with(0, "Host: evil.example")),
  callOf(callLines.with(2, "Content-Type: text/plain")),
  callOf(callLines.with(2, "Content-Type: application/json; charset=utf-8")),
  callOf(callLines.with(3, `Content-Length: 0${CALL.length}`)),
  ...["{", "", CALL.replace("tools/call", "tools/list"), CALL.replace("EUR", "\u00e4")].map(
    (body) => callOf(callLines.with(3, `Content-Length: ${Buffer.byteLength(body)}`), body),
  ),
  callOf(callLines, `${CALL}x`),
  callOf(callLines, CALL.slice(1)),
];
