import fc from "fast-check";

// Random requests about an account in latin1, with KEY in place of the session's token: valid but
// for something for which they are rejected, or reading.

/** Operations of an account, with the members of their bodies: none changes anything when odd. */
const operations: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["POST", "/v1/auth/register", { email: "odd@example.org", password: "seven sound secrets" }],
  ["POST", "/v1/auth/login", { email: "odd@example.org", password: "seven sound secrets" }],
  ["POST", "/v1/auth/verification", { token: "3f".repeat(32) }],
  ["POST", "/v1/auth/verification/resend", { email: "odd@example.org" }],
  ["POST", "/v1/auth/password-reset", { email: "odd@example.org" }],
  [
    "POST",
    "/v1/auth/password-reset/confirm",
    { token: "3f".repeat(32), password: "sound secrets" },
  ],
  ["POST", "/v1/account/api-keys", { name: "odd" }],
  ["PATCH", "/v1/account/settings", { quota_mails: true }],
  ["DELETE", "/v1/account", { password: "seven sound secrets" }],
  ["DELETE", "/v1/account/sessions"],
  ["DELETE", "/v1/account/api-keys/ID"],
  ["DELETE", "/v1/account/sessions/ID"],
  ["POST", "/v1/auth/logout"],
];

const lists = [
  ...["/v1/account", "/v1/account/api-keys", "/v1/account/sessions", "/v1/account/settings"],
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
const oddMethods = [
  "PUT",
  "TRACE",
  "PROPFIND",
  "QUERY",
  "LINK",
  "M-SEARCH",
  "FOO",
  "post",
  "OPTIONS",
];
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
  ...[
    " ".repeat(16_385),
    "[".repeat(17_000),
    '{"email":"\u00ff\u00c0@b.example","password":"\u00ed"}',
  ],
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

interface Parts {
  readonly method: string;
  readonly path: string;
  readonly credential: string;
  readonly lines?: readonly string[];
  readonly type?: string;
  readonly body?: string | undefined;
}

const textOf = ({ method, path, credential, lines = [], type, body }: Parts) =>
  [
    ...[`${method} ${path} HTTP/1.1`, "Host: kurs", "X-Forwarded-For: STRANGER", ...lines],
    `Authorization: ${credential}`,
    ...(type === undefined || body === undefined ? [] : [`Content-Type: ${type}`]),
    ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
    ...["", body ?? ""],
  ].join("\r\n");

const someLines = fc.array(fc.constantFrom(...oddLines), { maxLength: 2 });

/** What makes a request about an account one that is rejected. */
const faults: readonly ((parts: Parts, members: object) => fc.Arbitrary<Parts> | undefined)[] = [
  (parts) => fc.constantFrom(...oddMethods).map((verb) => ({ ...parts, method: verb })),
  (parts) => fc.constantFrom(...fatalLines).map((line) => ({ ...parts, lines: [line] })),
  (parts) =>
    /\/(?:account|logout)/.test(parts.path)
      ? fc.constantFrom(...wrongCredentials).map((credential) => ({ ...parts, credential }))
      : undefined,
  (parts) =>
    parts.path.endsWith("ID")
      ? fc.constantFrom(...oddIds).map((id) => ({ ...parts, path: parts.path.replace("ID", id) }))
      : undefined,
  (parts) =>
    parts.body === undefined
      ? undefined
      : fc.constantFrom(...oddTypes).map((type) => ({ ...parts, type })),
  (parts) =>
    parts.body === undefined
      ? undefined
      : fc.constantFrom(...oddBodies).map((body) => ({ ...parts, body })),
  (parts, members) =>
    parts.body === undefined
      ? undefined
      : fc
          .tuple(fc.constantFrom(...Object.keys(members)), fc.constantFrom(...oddJson))
          .filter(([name, json]) => !(name === "quota_mails" && json === "true"))
          .map(([name, json]) => {
            const others = Object.entries(members).filter(([other]) => other !== name);
            const texts = others.map(([other, own]) => `"${other}":${JSON.stringify(own)},`);
            return { ...parts, body: `{${texts.join("")}"${name}":${json}}` };
          }),
];

const someRejected = fc.constantFrom(...operations).chain(([verb, path, members]) => {
  const body = members && JSON.stringify(members);
  const whole = {
    method: verb,
    path,
    credential: `Session KEY`,
    type: "application/json",
    body,
  };
  const faulty = faults.map((fault) => fault(whole, members ?? {})).filter((some) => some);
  return fc
    .tuple(fc.oneof(...(faulty as fc.Arbitrary<Parts>[])), someLines)
    .map(([parts, lines]) => textOf({ ...parts, lines: [...lines, ...(parts.lines ?? [])] }));
});

const someList = fc
  .tuple(fc.constantFrom(...lists), fc.constantFrom("GET", "GET", "HEAD"), someLines)
  .map(([path, verb, lines]) => textOf({ method: verb, path, lines, credential: `Session KEY` }));

const someQuery = fc
  .tuple(fc.constantFrom(...lists), fc.constantFrom(...oddQueries))
  .map(([path, query]) =>
    textOf({ method: "GET", path: `${path.split("?")[0]}?${query}`, credential: `Session KEY` }),
  );

const tokens = [
  ...[
    "\r\n",
    "\n",
    "\r",
    "\r\n\r\n",
    "\0",
    " ",
    "\t",
    ":",
    "%",
    "/",
    "\u00ff",
    "\u001b[2J",
    "HTTP/1.1",
  ],
  ...["Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\n", " folded\r\n", "Host: b\r\n"],
  ...["0\r\n\r\n", "FFFFFFFFFFFFFFFF\r\n", "Connection: close\r\n", "Expect: 100-continue\r\n"],
  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
];

/** A part of a request, cut out, repeated, or replaced by other bytes. */
const someBreak = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(20), fc.constantFrom(...tokens, ""))
  .map(([at, removed, added]) => (text: string) => {
    const start = Math.floor(at * text.length);
    return text.slice(0, start) + added + text.slice(start + removed);
  });
const end = (text: string) => text.slice(0, Math.ceil(text.length * 0.7));
const breaks = [
  end,
  (text: string) => text + text,
  (text: string) => text.replaceAll("\r\n", "\n"),
  (text: string) => text.replace("\r\n", "\r"),
];

/**
 * A request with a session, and an address instead of STRANGER, that changes nothing: one with
 * something for which it is rejected, or one that reads.
 */
export const someOddCall: fc.Arbitrary<{ readonly text: string; readonly mayBeServed: boolean }> =
  fc.oneof(
    { weight: 4, arbitrary: someRejected.map((text) => ({ text, mayBeServed: false })) },
    {
      weight: 2,
      arbitrary: fc.oneof(someList, someQuery).map((text) => ({ text, mayBeServed: true })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(someList, fc.oneof(someBreak, fc.constantFrom(...breaks)))
        .map(([text, broken]) => ({ text: broken(text), mayBeServed: true })),
    },
  );
