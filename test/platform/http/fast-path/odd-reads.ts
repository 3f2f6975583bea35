import fc from "fast-check";
import { plainRead } from "../../../support/raw-connection.ts";

// Reads in latin1 with something unusual in one place or several. KEY stands for the credential.

const bytes = ["\0", "\u001b", "\u007f", "\u00e4", "\u00ff", "\t", "\v"];
const names = [
  ...["via", "x-forwarded-for", "X-Request-Id", "traceparent", "sec-ch-ua", "cookie", "x_y.z~!"],
  ...["origin", "Origin", "ORIGIN", "if-none-match", "content-type", "x-api-key", "te", "trailer"],
  ...["accept-x", "proxy-connection", "range", "x-forwarded-", "__proto__", "http2-settings"],
  ...["access-control-request-method", "x-http-method-override", "x-original-url"],
];

/** What each part of a read may be instead of what it mostly is. */
const odd = {
  start: [
    ...["get", "Get", "HEAD", "Head", "POST", "OPTIONS", "FETCH", " GET", "QUERY", "M-SEARCH"].map(
      (method) => `${method} /v1/rates/EUR/USD HTTP/1.1`,
    ),
    ...[
      ...[
        "eur/Usd",
        "EUR/XXX",
        "E/USD",
        "EUR/USDUSDUSDUSD",
        "%45UR/USD",
        "%20eur%20/USD",
        "EUR/%zz",
      ],
      ...[
        "/USD",
        "EUR/USD/",
        "EUR",
        "EUR/USD?",
        "EUR/USD?at=b",
        "EUR/USD#a",
        "EUR/U-D",
        "EUR /USD",
      ],
      ...["\u00e4\u00f6/USD", "EUR/%00", "%0d%0a/USD", "../rates/EUR/USD", "__proto__/USD"],
      ...["' OR '1'='1/USD", "%c0%af/USD", "EUR/USD;a=b", "EUR/USD%3fa=b", "EUR%2fUSD"],
    ].map((pair) => `GET /v1/rates/${pair} HTTP/1.1`),
    ...[
      ...["/V1/rates/EUR/USD", "/v1/RATES/EUR/USD", "//v1/rates/EUR/USD", "/v1/./rates/EUR/USD"],
      ...["http://kurs/v1/rates/EUR/USD", "*", "/.env", "/docs", "/metrics", "/openapi.json"],
      ...["//evil.example/v1/rates/EUR/USD", "/assets/../../package.json", "/v2/rates/EUR/USD"],
    ].map((path) => `GET ${path} HTTP/1.1`),
    ...["HTTP/1.0", "http/1.1", "HTTP/1.2", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", ""].map(
      (version) => `GET /v1/rates/EUR/USD ${version}`,
    ),
  ],
  host: [
    ...["HOST: kurs", "host:127.0.0.1:8080", "Host: [::1]", "Host: ", "Host:", "Host: a b"],
    ...["Host: k\u00e4", "Host: ,", "Host:  kurs", "Host: kurs ", "X: no host"],
    "Host: kurs\r\nHost: other",
  ],
  key: [
    ...["AUTHORIZATION: APIKEY KEY", "authorization:ApiKey KEY", "Authorization: ApiKey  KEY"],
    ...["Authorization:  ApiKey KEY", "Authorization: ApiKey KEY ", "Authorization: ApiKey\tKEY"],
    ...["Authorization: ApiKeyKEY", "Authorization: Bearer KEY", "Authorization: Session KEY"],
    ...["Authorization: ApiKey KEY, ApiKey KEY", "Authorization: ApiKey KEY KEY", "X: no key"],
    ...['Authorization: ApiKey "KEY"', "Authorization: ApiKey ", "Authorization: ApiKey"],
    ...["Authorization:", "Authorization: ApiKey KEY\u00e4", "Authorization: ApiKey KEY\0"],
    ...["Authorization: \u00c4ApiKey KEY", "Authorization: ApiKey KEY0"],
    ...["KEY", "x"].flatMap((key) => [
      `Authorization: ApiKey KEY\r\nAuthorization: ApiKey ${key}`,
      `Authorization: ApiKey ${key}\r\nAuthorization: ApiKey KEY`,
    ]),
  ],
  line: [
    ...names.map((name) => `${name}: a: b`),
    ...["via:a", "via:", "via:  a", "via:\ta", "via: a ", "via: a\t", `via: ${"a".repeat(2040)}`],
    ...[...bytes.map((byte) => `via: a${byte}b`), ...bytes.map((byte) => `v${byte}ia: a`)],
    ...[`via: ${"a".repeat(17_000)}`, `${"via: a\r\n".repeat(200)}via: a`],
    ...["keep-alive", "Keep-Alive", "close", "CLOSE", "upgrade", "keep-alive, close"].map(
      (option) => `Connection: ${option}`,
    ),
    ...["0", "5", "x", "+1", "5\r\nContent-Length: 6"].map((length) => `Content-Length: ${length}`),
    ...["chunked", "gzip", "chunked\r\nContent-Length: 5"].map(
      (how) => `Transfer-Encoding: ${how}`,
    ),
    ...["Expect: 100-continue", "Expect: x", "Upgrade: websocket", "Keep-Alive: timeout=5"],
    ...[" folded", "\tfolded", "no colon", "a b: c", ": a", "Host : kurs", "", "a: b\nc: d"],
    ...["Transfer-Encoding : chunked", "Proxy-Connection: close", "Content-Length: 5\r\nExpect: x"],
  ],
  /** In place of one of the line breaks. */
  end: ["\n", "\r", "\r\r\n", "\r\n\r\n"],
  body: [
    ...["hello", "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "\r\n", "\0", plainRead("KEY")],
    `0\r\n\r\n${plainRead("KEY")}`,
  ],
} as const;

export type Parts = { readonly [Part in keyof typeof odd]?: string } & { readonly at?: number };

const START = "GET /v1/rates/EUR/USD HTTP/1.1";

/** @param at where the unusual line and the unusual end of a line are. */
export function textOf({ start = START, host = "Host: kurs", at = 0, end, line, ...more }: Parts) {
  const { key = "Authorization: ApiKey KEY", body = "" } = more;
  const lines = [host, key];
  if (line !== undefined) lines.splice(at % 3, 0, line);
  const parts = [start, ...lines, ""];
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
  ...{ start: mostly(odd.start, 1), host: mostly(odd.host, 1), key: mostly(odd.key, 1) },
  ...{ line: mostly(odd.line, 4), end: mostly(odd.end, 1), body: mostly(odd.body, 1) },
  at: fc.nat(4),
}) as fc.Arbitrary<Parts>;
