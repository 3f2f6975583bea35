import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import {
  assertFailure,
  assertKeyRejected,
  assertSessionRejected,
} from "../../support/assertions.ts";
import type { Answer, Call } from "../../support/client.ts";
import { sendRaw } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";

const KIB_16 = 16 * 1024;
const KEYS = "/v1/account/api-keys";

const service = await startSharedService();

const session = await service.openSession();

/** Valid tokens of the account: a body accepted by mistake would use one. */
const [verification, reset] = ["3f".repeat(32), "a5".repeat(32)] as const;
service.query("UPDATE mail_tokens SET token_hash = ?", hash("sha256", verification));
service.query(
  `INSERT INTO mail_tokens (account_id, purpose, token_hash, expires_at)
   SELECT account_id, 'password_reset', ?, expires_at FROM mail_tokens`,
  hash("sha256", reset),
);

const deletion = ["DELETE /v1/account", '{"password":"correct horse battery"}'] as const;

const bodies: readonly (readonly [start: string, valid: string])[] = [
  ["POST /v1/auth/register", '{"email":"new@example.org","password":"correct horse battery"}'],
  ["POST /v1/auth/login", '{"email":"account-1@example.org","password":"correct horse battery"}'],
  ["POST /v1/account/api-keys", '{"name":"new"}'],
  ["PATCH /v1/account/settings", '{"quota_mails":false}'],
  ["PUT /v1/account/thresholds", '{"thresholds":[]}'],
  ["POST /v1/auth/verification", JSON.stringify({ token: verification })],
  ["POST /v1/auth/verification/resend", '{"email":"account-1@example.org"}'],
  [
    "POST /v1/auth/password-reset/confirm",
    JSON.stringify({ token: reset, password: "a new passphrase" }),
  ],
  ["POST /v1/auth/password-reset", '{"email":"account-1@example.org"}'],
  deletion,
];

/** Everything that these calls could create, change or use up. */
const stored = () => [
  service.query("SELECT * FROM accounts"),
  service.query("SELECT * FROM sessions"),
  service.query("SELECT * FROM api_keys"),
  service.query("SELECT * FROM mail_tokens"),
  service.query("SELECT id FROM mails"),
];

const send = (start: string, how: Call) => {
  const [method = "", path = ""] = start.split(" ");
  return service.call(method, path, { session, ...how });
};
const post = (start: string, raw: string, contentType = "application/json") => {
  const headers: Record<string, string> = contentType === "" ? {} : { "content-type": contentType };
  return send(start, { raw, headers });
};

const malformed: readonly (readonly [what: string, raw: string, message?: RegExp])[] = [
  ["nothing", ""],
  ["white space", "  \n"],
  ["an object that is not closed", '{"name":"a","email":"a@example.org"'],
  ["an object with a comma too many", '{"name":"a",}'],
  ["two objects", '{"name":"a"}{"name":"b"}'],
  ["single quotes", "{'name':'a'}"],
  ["a name without quotes", '{name:"a"}'],
  ["a comment", '{"name":"a"/* so */}'],
  ["NaN", '{"name":NaN}'],
  ["a control character in a string", '{"name":"a\u0001"}'],
  ["a form", "name=a&email=a%40example.org"],
  ["XML", "<name>a</name>"],
  ["arrays nested thousands deep", `{"email":${"[".repeat(7000)}${"]".repeat(7000)}}`],
  ["objects nested thousands deep", `${'{"a":'.repeat(2500)}1${"}".repeat(2500)}`],
  ["a number of thousands of digits", `{"email":${"9".repeat(15_000)},"password":1}`],
  ["a number beyond a double", '{"email":1e999999999,"password":-1e999999999}'],
  ...["[]", '[{"name":"a"}]', "null", '"name"', "5", "true"].map(
    (raw) => [`${raw}, which is not an object`, raw, /object/] as const,
  ),
];

for (const [what, raw, message = /\S/] of malformed) {
  test(`bodies: ${what} is 400 on every path, and nothing is stored`, async () => {
    const before = stored();
    for (const [path] of bodies) {
      assertFailure(await post(path, raw), 400, "invalid_request", message);
    }
    assert.deepEqual(stored(), before);
  });
}

test("bodies: a missing body is 400 on every path that needs one", async () => {
  for (const [path] of bodies) {
    assertFailure(await send(path, {}), 400, "invalid_request");
  }
});

const values = [undefined, null, 5, true, "true", ["a"], { trim: "a" }];
const typeOf = (value: unknown) => (Array.isArray(value) ? "array" : typeof value);

test("bodies: a member that is missing or of a wrong type is 400 with the rule, and nothing is stored", async () => {
  const before = stored();
  for (const [path, valid] of bodies) {
    const body = JSON.parse(valid) as Readonly<Record<string, unknown>>;
    for (const [name, right] of Object.entries(body)) {
      const type = typeOf(right);
      for (const value of values.filter((one) => typeOf(one) !== type)) {
        const raw = JSON.stringify({ ...body, [name]: value });
        const rule = value === undefined ? `^${name} is missing\\.` : `^${name} must be ${type}\\.`;
        assertFailure(await post(path, raw), 400, "invalid_request", new RegExp(rule));
      }
    }
  }
  assert.deepEqual(stored(), before);
});

test("bodies: fields in __proto__ or constructor.prototype are ignored and pollute nothing", async () => {
  const before = stored();
  for (const [path, valid] of bodies) {
    for (const raw of [
      `{"__proto__":${valid}}`,
      `{"constructor":{"prototype":${valid}}}`,
      `{"\\u005f_proto__":${valid}}`,
      `{"__proto__":{},${valid.slice(1)}`,
    ]) {
      assertFailure(await post(path, raw), 400, "invalid_request");
    }
    assertFailure(await post(path, "{}"), 400, "invalid_request", /missing/);
  }
  assert.deepEqual(stored(), before);
  assert.equal(Object.hasOwn(Object.prototype, "name"), false);
});

const wrongTypes = [
  ...["text/plain", "text/json", "application/x-www-form-urlencoded", "application/xml", "json"],
  ...["multipart/form-data; boundary=x", "application/octet-stream", "application/jsonp", "*/*"],
  "",
];

for (const contentType of wrongTypes) {
  test(`bodies: JSON sent as ${contentType || "no type"} is 415, and nothing is stored`, async () => {
    const before = stored();
    for (const [path, valid] of bodies) {
      const answer = await post(path, valid, contentType);
      assertFailure(answer, 415, "unsupported_media_type", /application\/json/);
    }
    assert.deepEqual(stored(), before);
  });
}

test("bodies: the case of the media type and its charset parameter do not matter", async () => {
  for (const contentType of ["application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]) {
    const answer = await post(`POST ${KEYS}`, '{"name":"typed"}', contentType);
    assert.equal(answer.status, 201, answer.text);
  }
});

test("bodies: 16 KiB are accepted; one byte more is 413, and nothing is stored", async () => {
  const [, valid] = bodies[2] ?? ["", ""];
  assert.equal((await post(`POST ${KEYS}`, valid.padEnd(KIB_16))).status, 201);

  const before = stored();
  for (const [path, body] of bodies) {
    const answer = await post(path, body.padEnd(KIB_16 + 1));
    assertFailure(answer, 413, "payload_too_large", /16 KiB/);
  }
  assert.deepEqual(stored(), before);
});

test("bodies: the limit counts bytes, not characters", async () => {
  const raw = JSON.stringify({ name: "x", padding: "ä".repeat(KIB_16 / 2) });
  assert.ok(raw.length < KIB_16);

  assertFailure(await post(`POST ${KEYS}`, raw), 413, "payload_too_large");
});

test("bodies: a body that ends early is 400, and changes nothing", async () => {
  const { id } = await service.createKey(session);
  const before = stored();
  for (const [request, body] of [
    [`POST ${KEYS}`, 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":"cut"}'],
    [`DELETE ${KEYS}/${id}`, "Content-Length: 5\r\n\r\nx"],
  ]) {
    const head = `${request} HTTP/1.1\r\nHost: kurs\r\nAuthorization: Session ${session}\r\n`;
    const [answer] = await sendRaw(service.url, head + body, true);
    assert.ok(answer !== undefined);
    assertFailure(answer, 400, "invalid_request");
  }
  assert.deepEqual(stored(), before);
});

test("bodies: the credential is checked before the body: a malformed body without one is 401", async () => {
  for (const raw of ["{", "[]", " ".repeat(KIB_16 + 1)]) {
    const answer = await service.post(KEYS, {
      raw,
      headers: { "content-type": "application/json" },
    });
    assertFailure(answer, 401, "unauthorized", "Authentication required.");
  }
});

const FORM = "application/x-www-form-urlencoded";
const strayBodies = [
  ["empty JSON", "application/json", "Content-Length: 0\r\n\r\n"],
  ["an empty form, as curl -d '' sends", FORM, "Content-Length: 0\r\n\r\n"],
  ["a form", FORM, "Content-Length: 3\r\n\r\na=b"],
  ["malformed JSON", "application/json", "Content-Length: 1\r\n\r\n{"],
  ["JSON without fields", "application/json; charset=utf-8", "Content-Length: 2\r\n\r\n{}"],
  ["text", "text/plain", "Content-Length: 1\r\n\r\nx"],
  ["text in a chunk", "text/plain", "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"],
  ["a malformed type", "/", "Content-Length: 1\r\n\r\nx"],
  ["no type", "", "Content-Length: 1\r\n\r\nx"],
  ["no type and no bytes", "", "Content-Length: 0\r\n\r\n"],
  ["16 KiB of text", "text/plain", `Content-Length: ${KIB_16}\r\n\r\n${"x".repeat(KIB_16)}`],
] as const;

/** Sends a request with a credential and a body whose framing is written out. */
async function sendWithBody(
  start: string,
  credential: string,
  framedBody: string,
  contentType = "text/plain",
): Promise<Answer> {
  const type = contentType === "" ? "" : `Content-Type: ${contentType}\r\n`;
  const head = "Host: kurs\r\nConnection: close\r\n";
  const text = `${start} HTTP/1.1\r\n${head}Authorization: ${credential}\r\n${type}${framedBody}`;
  const [answer] = await sendRaw(service.url, text);
  assert.ok(answer !== undefined);
  return answer;
}

for (const [what, contentType, body] of strayBodies) {
  test(`bodies: a revocation and a log-out ignore their body: ${what}`, async () => {
    const leaving = await service.openSession();
    const { id, apiKey } = await service.createKey(leaving);
    for (const start of [`DELETE ${KEYS}/${id}`, "POST /v1/auth/logout"]) {
      const answer = await sendWithBody(start, `Session ${leaving}`, body, contentType);
      assert.deepEqual([answer.status, answer.text], [204, ""]);
    }
    assertKeyRejected(await service.get("/v1/rates/EUR/USD", { apiKey }));
    assertSessionRejected(await service.get("/v1/account/usage", { session: leaving }));
  });
}

test("bodies: a GET ignores any body of up to 16 KiB", async () => {
  const { apiKey } = await service.createKey(session);
  const used = await service.usedUnits(session);
  for (const [, , body] of strayBodies) {
    const rate = await sendWithBody("GET /v1/rates/EUR/USD", `ApiKey ${apiKey}`, body);
    const usage = await sendWithBody("GET /v1/account/usage", `Session ${session}`, body);
    assert.deepEqual([rate.status, usage.status], [200, 200], rate.text + usage.text);
  }
  assert.equal(await service.usedUnits(session), used + strayBodies.length);
});

const TOO_LONG = "x".repeat(KIB_16 + 1);

for (const [how, body] of [
  ["a stated length", `Content-Length: ${KIB_16 + 1}\r\n\r\n${TOO_LONG}`],
  ["chunks", `Transfer-Encoding: chunked\r\n\r\n4001\r\n${TOO_LONG}\r\n0\r\n\r\n`],
] as const) {
  test(`bodies: over 16 KiB in ${how} are 413 with any method, and change nothing`, async () => {
    const { id, apiKey } = await service.createKey(session);
    const before = stored();
    const used = await service.usedUnits(session);
    for (const [start, credential] of [
      [`DELETE ${KEYS}/${id}`, `Session ${session}`],
      ["POST /v1/auth/logout", `Session ${session}`],
      ["GET /v1/account/usage", `Session ${session}`],
      ["GET /v1/rates/EUR/USD", `ApiKey ${apiKey}`],
    ] as const) {
      const answer = await sendWithBody(start, credential, body);
      assertFailure(answer, 413, "payload_too_large");
    }
    const created = await sendWithBody(
      `POST ${KEYS}`,
      `Session ${session}`,
      body,
      "application/json",
    );
    assertFailure(created, 413, "payload_too_large");
    assertSessionRejected(await sendWithBody("GET /v1/account/usage", "Session x", body));
    const logIn = await sendWithBody("GET /v1/auth/login", "Session x", body);
    assertFailure(logIn, 405, "method_not_allowed");
    assert.equal(await service.usedUnits(session), used);
    assert.deepEqual(stored(), before);
  });
}

test("bodies: the bodies that the tests above reject are valid except for their one fault", async () => {
  for (const [path, valid] of bodies.filter((body) => body !== deletion)) {
    const answer = await post(path, valid);
    assert.ok(answer.status >= 200 && answer.status < 300, `${path}: ${answer.text}`);
  }
});
