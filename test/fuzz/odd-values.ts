/** JSON texts of every type, with edge cases of each. */
export const oddJson: readonly string[] = [
  ...["null", "true", "false", "0", "-0", "1", "-1", "1.5", "1e400", "-1e-400", "9007199254740993"],
  ...[`${"9".repeat(400)}`, '""', '" "', '"\\u0000"', '"\\ud800"', '"\\udfff\\ud800"', '"\\u202e"'],
  ...["[]", "{}", "[[]]", '["a"]', '[{"email":"a"}]', '{"a":1}', '{"toString":1}', '{"length":-1}'],
  ...['{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{"isAdmin":true}}}'],
  ...[`"${"x".repeat(253)}"`, `"${"x".repeat(254)}"`, `"${"x".repeat(255)}"`],
  ...[`"${"x".repeat(257)}"`, `"${"é".repeat(100)}"`, `"${"😀".repeat(101)}"`],
  ...[`"${"\\u0301".repeat(300)}"`, `${"[".repeat(2000)}${"]".repeat(2000)}`],
  ...[`${'{"a":'.repeat(500)}1${"}".repeat(500)}`, '"a@b"', '"a@b.c"', '"@"', '"a@@b.example"'],
  ...['"\\"a b\\"@c.example"', '"ä@ö.example"', `"${"a".repeat(64)}@${"b.".repeat(90)}example"`],
  ...['"a@[127.0.0.1]"', '"a@b.example\\r\\nBcc: c@d.example"', '"x\\r\\nSet-Cookie: a=b"'],
  ...['"\\u001b[31m"', '"{\\"level\\":60}"', '"#{7*7}"', `"' OR '1'='1"`],
  ...[`"'; DROP TABLE accounts; --"`, `"\\u02bc OR 1=1"`, '"%00"', '"$1"', '"?"'],
  ...['"../../etc/passwd"', '"\\ufeff"', '"ＡＤＡ@ｅxample.org"', '"<script>alert(1)</script>"'],
];

/** Members that no operation has. */
export const strayMembers: readonly string[] = [
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "id", "plan", "role"],
  ...["email_verified", "emailVerifiedAt", "account_id", "created_at", "isAdmin", "quota_units"],
  ...[""],
];

/** Bodies that are invalid or unusual JSON. */
export const oddBodies: readonly Buffer[] = [
  ...["", " ", "{", "}", "{}", "[]", "null", "0", '"x"', "{]", "{,}", '{"email"}', "{'email':'a'}"],
  ...['{"email":"a@b.example","password":NaN}', "// comment\n{}", '{"a":1,}', "{}{}", "{}\n{}"],
  ...["\ufeff{}", "email=a%40b.example&password=x", "<x/>", "\u0000", '{"a":"\u0001"}', "{\u00a0}"],
]
  .map((text) => Buffer.from(text))
  .concat([
    Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
    Buffer.from('{"email":"\xff\xc0\xaf@b.example","password":"\xed\xa0\x80aaaaaaaa"}', "latin1"),
    Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00]),
    Buffer.alloc(16_385, " "),
    Buffer.alloc(40_000, "["),
    Buffer.from(`{"email":"${"a".repeat(16_300)}"}`),
  ]);

export const oddTypes: readonly string[] = [
  ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "*/*"],
  ...["application/json; charset=utf-16", "application/json; charset=utf-8", "APPLICATION/JSON"],
  ...["application/json;", "application/jsonx", "application/problem+json", "json", "", ";"],
  ...["a/b/c", "application/json, text/plain", "application/json; a=b; a=c"],
  ...[`application/json; a="${"b".repeat(99)}`],
];

/** Replacements for a path segment, in latin1 as they are sent. */
export const oddSegments: readonly string[] = [
  ...["%00", "%0a", "%0d%0a", "%2e%2e", "..", ".", "%2f", "%5c", "\\", "%c0%af", "%e0%80%af"],
  ...["%zz", "%", "%2", "%%", ";", "EUR;a=b", "%20EUR%20", "%09eur", "eur", "E", "ABCDEFGHIJK"],
  ...["E-R", "*", "%C3%9F", "%CE%91%CE%92", "%EF%BC%A5%EF%BC%B5%EF%BC%B2", "%F0%9F%92%B6"],
  ...["__proto__", "{id}", "constructor", "'%20OR%20'1'='1", "%27%3B--", "%24%7Bx%7D", "EUR%2fUSD"],
  ...["%45UR", "%2545UR", "+", "a".repeat(300), "%41".repeat(300), "9".repeat(400), "null"],
  ...["undefined", "true", "-1", "0x10"],
];

export const oddQueries: readonly string[] = [
  ...["days=0", "days=367", "days=-1", "days=1.5", "days=", "days", "days=1&days=2", "days[]=1"],
  ...[
    "days=%31",
    "days=1e2",
    "days=+1",
    "days=９",
    "days=1%00",
    "days[__proto__]=1",
    "__proto__=1",
  ],
  ...["constructor=1", "a=b&".repeat(2000), "%zz", "&", "=", "?", "a%", "api_key=KEY"],
  ...["__proto__[a]=1"],
];

/** Headers that no response may depend on, except for CORS, HEAD and connection handling. */
export const oddHeaders: readonly string[] = [
  ...["Accept: text/html", "Accept: */*;q=0", "Accept-Encoding: gzip, br"],
  ...["Content-Encoding: gzip", "Content-Encoding: br", "Range: bytes=0-1", "If-None-Match: *"],
  ...["If-Modified-Since: x", "Connection: close", "Connection: keep-alive"],
  ...["Keep-Alive: timeout=999", "Expect: x", "Origin: https://evil.example", "Origin: null"],
  ...["Referer: x", "Access-Control-Request-Method: POST", "Sec-Fetch-Site: cross-site"],
  ...["X-HTTP-Method-Override: DELETE", "X-Original-URL: /v1/account/usage"],
  ...["X-Rewrite-URL: /openapi.json", "X-Forwarded-Host: evil.example", "X-Forwarded-For: 1.2.3.4"],
  ...["X-Forwarded-For: x, ::1, 300.1.1.1, \t,", "X-Forwarded-For: [::ffff:1.2.3.4]:80"],
  ...["Forwarded: for=1.2.3.4", "X-Forwarded-Proto: https", "X-Forwarded-For: ", "Via: 1.1 x"],
  ...["X-Request-Id: \x1b[31m", "X-Request-Id: a", "User-Agent: \xff\xfe", "__proto__: x"],
  ...["constructor: x", "Cookie: session=CRED", "TE: trailers", "X-Api-Key: CRED"],
  ...["Proxy-Authorization: ApiKey CRED", "Upgrade: h2c", `A: ${"b".repeat(8000)}`],
  ...[`A: ${"b".repeat(17_000)}`, "Host: evil.example", "Host: ", "Host: a b", "Host: [::1]:99999"],
  ...["Trailer: Authorization"],
];

export const methods: readonly string[] = [
  ...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "SEARCH"],
  ...["QUERY", "LINK", "M-SEARCH", "PURGE", "REPORT", "LOCK", "MKCOL"],
];
