import fc from "fast-check";

// Random requests about an account in latin1, with KEY in place of the session's token: valid but
// for something for which they are rejected, or reading.

const EMAIL = "odd@example.org";
const PASSWORD = "seven sound secrets";

/** Operations of an account, with the members of their bodies: none changes anything when odd. */
const operations: readonly (readonly [start: string, body?: object])[] = [
  ["POST /v1/auth/register", { email: EMAIL, password: PASSWORD }],
  ["POST /v1/auth/login", { email: EMAIL, password: PASSWORD }],
  ["POST /v1/auth/verification", { token: "3f".repeat(32) }],
  ["POST /v1/auth/verification/resend", { email: EMAIL }],
  ["POST /v1/auth/password-reset", { email: EMAIL }],
  ["POST /v1/auth/password-reset/confirm", { token: "3f".repeat(32), password: PASSWORD }],
  ["POST /v1/account/api-keys", { name: "odd" }],
  ["PATCH /v1/account/settings", { quota_mails: true }],
  ["PUT /v1/account/thresholds", { thresholds: [{ percent: 80, units: 80 }] }],
  ["DELETE /v1/account", { password: PASSWORD }],
  ["DELETE /v1/account/sessions"],
  ["DELETE /v1/account/api-keys/ID"],
  [
    "PUT /v1/account/api-keys/ID/limits",
    { expires_at: null, units_per_period: 1, units_per_day: null },
  ],
  ["POST /v1/account/api-keys/ID/rotate", { overlap_hours: 1 }],
  ["DELETE /v1/account/sessions/ID"],
  ["POST /v1/auth/logout"],
];

const lists = [
  ...["/v1/account", "/v1/account/api-keys", "/v1/account/sessions", "/v1/account/settings"],
  ...["/v1/account/grants", "/v1/account/usage/limits"],
  ...["/v1/account/usage", "/v1/account/usage/api-keys", "/v1/account/usage/daily?days=366"],
  ...["/v1/account/usage/daily?days=1", "/v1/account/events", "/v1/account/pairs?limit=1"],
  ...["/v1/account/pairs?base=EUR&after=EUR/USD", "/v1/account/sources", "/healthz", "/nowhere"],
];
const oddQueries = [
  ...["days=0", "days=367", "days=-1", "days=1.5", "days=", "days", "days=1&days=2", "days[]=1"],
  ...["days=1e2", "days=%EF%BC%99", "days=1%00", "days[__proto__]=1", "__proto__=1", "%zz", "a%"],
  ...["&", "=", "?", "api_key=KEY", "limit=0", "after=x", "before=x", `${"a=b&".repeat(2000)}`],
];
const oddIds = [
  ...["%00", "%0a", "..", ".", "%2f", "%5c", "%c0%af", "%zz", "%", ";", "*", "__proto__", "{id}"],
  ...["'%20OR%20'1'='1", "%24%7Bx%7D", "9".repeat(400), "%41".repeat(300), "null", "-1", "0x10"],
];
const oddMethods = ["PUT", "TRACE", "PROPFIND", "LINK", "M-SEARCH", "FOO", "post", "OPTIONS"];
const oddTypes = [
  ...["text/plain", "application/x-www-form-urlencoded", "*/*", "application/jsonx", "json", ""],
  ...["multipart/form-data; boundary=x", "application/problem+json", "a/b/c", ";", "text/json"],
];
const oddJson = [
  ...["null", "true", "0", "-0", "1.5", "1e400", "9007199254740993", "9".repeat(400), "[]", "{}"],
  ...['["a"]', '[{"email":"a"}]', '{"toString":1}', '{"length":-1}', '""', '" "', '"\\u0000"'],
  ...['{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{"isAdmin":true}}}'],
  ...[`${"[".repeat(2000)}${"]".repeat(2000)}`, `${'{"a":'.repeat(500)}1${"}".repeat(500)}`],
];
const oddBodies = [
  ...["", " ", "{", "}", "{}", "[]", "null", "0", '"x"', "{]", "{,}", '{"email"}', "{'email':'a'}"],
  ...['{"email":NaN}', "// comment\n{}", '{"a":1,}', "{}{}", "email=a%40b.example", "<x/>", "\0"],
  ...['{"a":"\u0001"}', "{\u00a0}", "\u00ff\u00fe{\0}\0", "\u001f\u008b\b\0\0\0\0\0"],
  ...[" ".repeat(16_385), "[".repeat(17_000), '{"email":"\u00ff\u00c0@b.example"}'],
];
/** Headers that no response may depend on, except for CORS. */
const oddLines = [
  ...["Accept: */*;q=0", "Accept: text/html", "Accept-Encoding: br", "Range: bytes=0-1", "TE: x"],
  ...["X-HTTP-Method-Override: DELETE", "X-Original-URL: /v1/account", "X-Forwarded-Host: evil"],
  ...["Cookie: session=KEY", "X-Api-Key: KEY", "Proxy-Authorization: Session KEY", "Expect: x"],
  ...["Origin: https://evil.example", "Origin: null", "User-Agent: \u00ff\u00fe", "__proto__: x"],
  ...["X-Request-Id: a", "Forwarded: for=1.2.3.4", "Upgrade: h2c", `A: ${"b".repeat(8000)}`],
];
/** Each alone gets a request rejected. */
const fatalLines = [
  ...["Content-Length: x", "Content-Length: 5\r\nContent-Length: 6", "Host: other", " folded"],
  ...["Transfer-Encoding: chunked\r\nContent-Length: 5", "no colon", "a b: c", "A: \0", "Host : a"],
  `A: ${"b".repeat(17_000)}`,
];
const wrongCredentials = [
  ...["", "KEY", "Session", "ApiKey KEY", "Bearer KEY", "Session KEY0", "Session KEY KEY"],
  ...['Session "KEY"', "Session KEY\r\nAuthorization: Session KEY", "Session KEY, Session KEY"],
  ...["Session svc_sess_%", "Session __proto__", `Session ${"a".repeat(4000)}`, "Session \u00e4"],
];

/** Parts of a request, each with what it mostly is. */
function textOf({
  start = "",
  credential = "Session KEY",
  lines = [] as readonly string[],
  type = "application/json",
  body = undefined as string | undefined,
}): string {
  const framed =
    body === undefined ? [] : [`Content-Type: ${type}`, `Content-Length: ${body.length}`];
  return [
    ...[`${start} HTTP/1.1`, "Host: kurs", ...lines],
    ...[`Authorization: ${credential}`, ...framed, "", body ?? ""],
  ].join("\r\n");
}

/** Every operation with each thing for which it is rejected. */
const rejected = operations.flatMap(([start, members]) => {
  const body = members && JSON.stringify(members);
  const [, path = ""] = start.split(" ");
  return [
    ...oddMethods.map((verb) => ({ start: `${verb} ${path}` })),
    ...fatalLines.map((line) => ({ lines: [line] })),
    ...(/account|logout/.test(path) ? wrongCredentials : []).map((credential) => ({ credential })),
    ...(path.endsWith("ID") ? oddIds : []).map((id) => ({ start: start.replace("ID", id) })),
    ...(body === undefined ? [] : oddTypes).map((type) => ({ type })),
    ...(body === undefined ? [] : oddBodies).map((odd) => ({ body: odd })),
    ...Object.keys(members ?? {}).flatMap((name) =>
      oddJson
        .filter((json) => !(name === "quota_mails" && json === "true"))
        .map((json) => {
          const member = new RegExp(`"${name}":(?:true|"[^"]*")`);
          return { body: body?.replace(member, () => `"${name}":${json}`) };
        }),
    ),
  ].map((odd) => ({ start, body, lines: [], ...odd }));
});

const someLines = fc.array(fc.constantFrom(...oddLines), { maxLength: 2 });

const someRejected = fc
  .tuple(fc.constantFrom(...rejected), someLines)
  .map(([parts, lines]) => textOf({ ...parts, lines: [...lines, ...parts.lines] }));

const someList = fc
  .tuple(fc.constantFrom("GET", "GET", "HEAD"), fc.constantFrom(...lists), someLines)
  .map(([method, path, lines]) => textOf({ start: `${method} ${path}`, lines }));

const someQuery = fc
  .tuple(fc.constantFrom(...lists), fc.constantFrom(...oddQueries))
  .map(([path, query]) => textOf({ start: `GET ${path.split("?")[0]}?${query}` }));

const tokens = [
  ...["", "\r\n", "\n", "\r", "\r\n\r\n", "\0", " ", "\t", ":", "%", "/", "\u00ff", "\u001b[2J"],
  ...["HTTP/1.1", "Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\n", " folded\r\n"],
  ...["Host: b\r\n", "0\r\n\r\n", "Connection: close\r\n", "Expect: 100-continue\r\n"],
  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
];

/** A list of which a part is cut out, or replaced by other bytes. */
const someBroken = fc
  .tuple(someList, fc.nat(10_000), fc.constantFrom(0, 1, 20, 10_000), fc.constantFrom(...tokens))
  .map(([text, at, removed, added]) => {
    const start = at % text.length;
    return text.slice(0, start) + added + text.slice(start + removed);
  });

/** A request with a session that changes nothing: one that is rejected, or one that reads. */
export const someOddCall = fc.oneof(
  { weight: 4, arbitrary: someRejected.map((text) => ({ text, mayBeServed: false })) },
  {
    weight: 4,
    arbitrary: fc
      .oneof({ weight: 2, arbitrary: someBroken }, someList, someQuery)
      .map((text) => ({ text, mayBeServed: true })),
  },
);
