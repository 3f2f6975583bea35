import fc from "fast-check";

// Random requests in latin1, valid but for something unusual in one place or another.

/** A request with a credential. */
export type RequestOf = (credential: string) => string;

/** In place of the credential. */
const KEY = "KEY";

/** Mostly one of the usual texts, sometimes an unusual one. */
function mostly(share: number, usual: readonly string[], odd: readonly string[]) {
  return fc.oneof(
    { weight: share, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
}

const method = mostly(
  40,
  ["GET", "GET", "GET", "HEAD"],
  ["get", "Get", "Head", "POST", "OPTIONS", "FETCH", " GET", "PROPFIND", "QUERY", "M-SEARCH"],
);

const readTarget = mostly(
  24,
  ["/v1/rates/EUR/USD", "/v1/rates/EUR/USD", "/v1/rates/eur/Usd", "/v1/rates/EUR/XXX"],
  [
    ...["/V1/rates/EUR/USD", "/v1/RATES/EUR/USD", "/v1/rates/E/USD", "/v1/rates/EUR/USDUSDUSDUSD"],
    ...["/v1/rates/%45UR/USD", "/v1/rates/%20eur%20/USD", "/v1/rates/EUR/%zz", "/v1/rates//USD"],
    ...["/v1/rates/EUR/USD/", "//v1/rates/EUR/USD", "/v1/./rates/EUR/USD", "/v1/rates/EUR"],
    ...["/v1/rates/EUR/USD?", "/v1/rates/EUR/USD?at=b", "/v1/rates/EUR/USD#a", "/v1/rates/EUR/U-D"],
    ...["http://kurs/v1/rates/EUR/USD", "*", "/v1/rates/\u00e4\u00f6/USD", "/v1/rates/EUR /USD"],
    ...[
      "/v1/rates/EUR/%00",
      "/v1/rates/%0d%0a/USD",
      "/v1/rates/../rates/EUR/USD",
      "/.env",
      "/docs",
    ],
    ...["/v1/rates/__proto__/USD", "/v1/rates/' OR '1'='1/USD", "/v1/rates/%c0%af/USD", "/metrics"],
    ...["/v1/rates/EUR/USD;a=b", "/v1/rates/EUR/USD%3fa=b", "/v1/rates/EUR%2fUSD", "/openapi.json"],
    ...["//evil.example/v1/rates/EUR/USD", "/assets/../../package.json", "/v2/rates/EUR/USD"],
  ],
);

const version = mostly(
  60,
  ["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0"],
  ["http/1.1", "HTTP/1.2", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", ""],
);

/** Sometimes the index of a line with an unusual line ending, and that ending. */
const oddEnd = fc.oneof(
  { weight: 30, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.tuple(fc.nat(6), fc.constantFrom("\n", "\r", "\r\r\n")) },
);

const randomCase = (name: string) =>
  fc
    .infiniteStream(fc.boolean())
    .map((isUpper) =>
      [...name].map((letter) => (isUpper.next().value ? letter.toUpperCase() : letter)).join(""),
    );

const knownName = fc
  .constantFrom(
    ...["user-agent", "accept", "accept-encoding", "accept-language", "cache-control", "pragma"],
    ...["priority", "dnt", "via", "forwarded", "x-forwarded-for", "x-forwarded-proto"],
    ...["x-real-ip", "x-request-id", "traceparent", "tracestate", "sec-fetch-mode", "sec-ch-ua"],
    ...["cf-connecting-ip", "cf-ray", "cdn-loop", "true-client-ip", "x-amzn-trace-id", "b3"],
    ...["x-cloud-trace-context", "x-envoy-attempt-count", "x-b3-traceid", "baggage", "sec-gpc"],
    ...["sentry-trace", "x-datadog-trace-id", "x-varnish", "x-forwarded-server", "referer"],
    ...["x-request-start", "x-correlation-id", "origin", "cookie", "if-none-match", "x_y.z~!"],
  )
  .chain(randomCase);

const otherName = fc
  .constantFrom(
    ...["content-type", "x-api-key", "te", "trailer", "accept-x", "proxy-connection", "range"],
    ...["x-forwarded-", "access-control-request-method", "__proto__", "http2-settings"],
    ...["x-http-method-override", "x-original-url", "x-forwarded-host", "if-modified-since"],
  )
  .chain(randomCase);

const anyByte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));

const value = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom("a", "*/*", "curl/8.5.0", "gzip, br", "a: b", "") },
  { weight: 8, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.array(anyByte, { maxLength: 6 }).map((bytes) => bytes.join("")) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(900, 1990, 2040, 17_000).map((length) => "a".repeat(length)),
  },
);

const space = mostly(40, [" "], ["", "  ", "\t", " \t"]);
const spaceBehind = mostly(40, [""], [" ", "\t", "  "]);

const header = (name: fc.Arbitrary<string>, values: fc.Arbitrary<string> = value) =>
  fc
    .tuple(name, space, values, spaceBehind)
    .map(([named, before, text, behind]) => `${named}:${before}${text}${behind}`);

const credential = (scheme: "ApiKey" | "Session", other: "ApiKey" | "Session") =>
  header(
    fc.constant("authorization").chain(randomCase),
    mostly(
      24,
      [`${scheme} ${KEY}`, `${scheme.toLowerCase()} ${KEY}`],
      [
        ...[`${scheme}  ${KEY}`, `${scheme}\t${KEY}`, `${scheme}${KEY}`, `Bearer ${KEY}`],
        ...[`${other} ${KEY}`, `${scheme} ${KEY}, ${scheme} ${KEY}`, `${scheme} ${KEY} ${KEY}`],
        ...[`${scheme} "${KEY}"`, scheme, "", `${scheme} ${KEY}\u00e4`, `${scheme} ${KEY}\u0000`],
        ...[`\u00c4${scheme} ${KEY}`, `${scheme}  `, `${scheme} ${KEY}0`],
      ],
    ),
  );

const host = header(
  fc.constant("host").chain(randomCase),
  mostly(40, ["kurs", "127.0.0.1:8080"], ["", "a b", "k\u00e4", ","]),
);

/** Headers that decide where a request or its connection ends, and invalid lines. */
const telling = fc.constantFrom(
  ...["Connection: keep-alive", "connection: Keep-Alive", "Connection: keep-alive"],
  ...["Connection: close", "Connection: upgrade, close", "Connection: keep-alive, close"],
  ...["Content-Length: 0", "Content-Length: 5", "Content-Length: x", "Content-Length: +1"],
  ...["Transfer-Encoding: chunked", "Transfer-Encoding: gzip", "Transfer-Encoding : chunked"],
  ...["Transfer-Encoding: chunked\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6"],
  ...["Expect: 100-continue", "Expect: x", "Upgrade: websocket", "Keep-Alive: timeout=5"],
  ...[" folded", "\tfolded", "no colon", "a b: c", ": a", "Host : kurs", "", "a: b\nc: d"],
);

const HIDDEN = `GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: x\r\nAuthorization: ApiKey ${KEY}\r\n\r\n`;
const body = mostly(
  24,
  [""],
  ["hello", "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", HIDDEN, `0\r\n\r\n${HIDDEN}`, "\r\n", "\u0000"],
);

const plainConnection = fc
  .constantFrom("connection", "Connection", "CONNECTION")
  .chain((name) => fc.constantFrom("keep-alive", "close").map((what) => `${name}: ${what}`));

const others = fc.array(
  fc.oneof(
    { weight: 50, arbitrary: header(knownName) },
    { weight: 4, arbitrary: plainConnection },
    { weight: 1, arbitrary: header(otherName) },
    { weight: 1, arbitrary: telling },
  ),
  { maxLength: 4 },
);

/** Mostly one, sometimes none or two. */
const count = (share: number) =>
  fc.oneof({ weight: share, arbitrary: fc.constant(1) }, fc.constantFrom(0, 2));

const headers = fc
  .tuple(others, others, others, host, credential("ApiKey", "Session"), count(30), count(30))
  .map(([first, second, third, hostLine, key, hosts, keys]) => [
    ...first,
    ...new Array<string>(hosts).fill(hostLine),
    ...second,
    ...new Array<string>(keys).fill(key),
    ...third,
  ]);

/** A read with a key, plain or unusual. */
export const someOddRead: fc.Arbitrary<RequestOf> = fc
  .tuple(method, readTarget, version, headers, oddEnd, body)
  .map(([verb, path, protocol, lines, odd, after]) => {
    const parts = [`${verb} ${path} ${protocol}`, ...lines, ""];
    const endOf = (index: number) => (odd?.[0] === index ? odd[1] : "\r\n");
    const text = parts.map((line, index) => line + endOf(index)).join("") + after;
    return (apiKey) => text.replaceAll(KEY, apiKey);
  });
