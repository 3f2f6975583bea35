import assert from "node:assert/strict";
import { after, test } from "node:test";
import { assertFailure } from "../support/answers.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { startService } from "../support/service.ts";

// What no HTTP client sends, on a bare socket: every error is the envelope all the same.

const service = await startService();
after(() => service[Symbol.asyncDispose]());

const session = await service.openSession();
const { apiKey } = await service.createKey(session);
const key = `Authorization: ApiKey ${apiKey}\r\n`;

const send = async (text: string, hangUp = false) => {
  const [answer, ...more] = await sendRaw(service.url, text, hangUp);
  assert.ok(answer !== undefined, "no answer");
  assert.deepEqual(more, []);
  return answer;
};

const malformed = [
  ["no HTTP at all", "hello\r\n\r\n"],
  ["a method of lower-case letters", "get /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n"],
  ["an unknown method", "FETCH /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n"],
  ["a version that is none", "GET /healthz HTTP/9.9\r\nHost: kurs\r\n\r\n"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a TLS greeting", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n"],
  ["a header without a colon", "GET /healthz HTTP/1.1\r\nHost: kurs\r\nbroken\r\n\r\n"],
  ["a header with a space in its name", `GET /healthz HTTP/1.1\r\nHost: kurs\r\na b: c\r\n\r\n`],
  ["a zero byte in a header", "GET /healthz HTTP/1.1\r\nHost: kurs\r\na: \u0000\r\n\r\n"],
  ["a path of bytes beyond ASCII", `GET /v1/rates/Ä/USD HTTP/1.1\r\nHost: kurs\r\n${key}\r\n`],
  ["a length that is no number", "POST /v1/auth/login HTTP/1.1\r\nContent-Length: x\r\n\r\n"],
  [
    "two different lengths",
    "POST /v1/auth/login HTTP/1.1\r\nHost: k\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
  ],
  [
    "both a length and chunks",
    "POST /v1/auth/login HTTP/1.1\r\nHost: k\r\nContent-Length: 2\r\n" +
      "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  [
    "a chunk of no size",
    "POST /v1/auth/login HTTP/1.1\r\nHost: k\r\nContent-Type: application/json\r\n" +
      "Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
  ],
] as const;

for (const [what, text] of malformed) {
  test(`raw HTTP: ${what} is 400 in the envelope`, async () => {
    assertFailure(await send(text), 400, "invalid_request");
  });
}

test("raw HTTP: HTTP/1.1 without Host is 400 in the envelope, uncharged (RFC 9112, 3.2)", async () => {
  for (const path of ["/healthz", "/v1/rates/EUR/USD", "/v1/account/usage"]) {
    const answer = await send(`GET ${path} HTTP/1.1\r\nConnection: close\r\n${key}\r\n`);
    assertFailure(answer, 400, "invalid_request");
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("raw HTTP: a request that is cut short in its headers is 400 in the envelope", async () => {
  assertFailure(await send("GET /healthz HTTP/1.1\r\nHo", true), 400, "invalid_request");
});

const tooLarge = [
  ["one header", `GET /healthz HTTP/1.1\r\nHost: kurs\r\na: ${"a".repeat(16_384)}\r\n\r\n`],
  ["many headers", `GET /healthz HTTP/1.1\r\nHost: k\r\n${"a: aaaaaaaa\r\n".repeat(1500)}\r\n`],
  [
    "the credential",
    `GET /healthz HTTP/1.1\r\nAuthorization: ApiKey ${"a".repeat(16_384)}\r\n\r\n`,
  ],
  ["the path", `GET /${"a".repeat(16_384)} HTTP/1.1\r\nHost: kurs\r\n\r\n`],
] as const;

for (const [what, text] of tooLarge) {
  test(`raw HTTP: over 16 KiB of headers, in ${what}, are 413 in the envelope`, async () => {
    assertFailure(await send(text), 413, "payload_too_large", /16 KiB/);
  });
}

test("raw HTTP: just under 16 KiB of headers are fine", async () => {
  const { status } = await send(
    `GET /healthz HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\na: ${"a".repeat(16_000)}\r\n\r\n`,
  );
  assert.equal(status, 200);
});

test("raw HTTP: CONNECT is 405 in the envelope, with an Allow", async () => {
  for (const target of ["example.org:443", "/v1/rates/EUR/USD"]) {
    const answer = await send(`CONNECT ${target} HTTP/1.1\r\nHost: example.org:443\r\n${key}\r\n`);

    assertFailure(answer, 405, "method_not_allowed");
    assert.ok(Object.hasOwn(answer.headers, "allow"));
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("raw HTTP: every refusal closes the connection; what came behind it is not served", async () => {
  const read = `GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\n${key}\r\n`;

  for (const [, text] of [...malformed, ...tooLarge]) {
    const answer = await send(text + read);
    assert.equal(answer.headers.connection, "close");
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("raw HTTP: a good request before the malformed one is answered, and charged once", async () => {
  const before = await service.usedUnits(session);
  const read = `GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\n${key}\r\n`;

  const answers = await sendRaw(service.url, `${read}garbage\r\n\r\n`);

  const last = answers.at(-1);
  assert.ok(last !== undefined);
  assertFailure(last, 400, "invalid_request");
  assert.equal(await service.usedUnits(session), before + 1);
});

const expectations = ["something", "200-ok", "100-later"];

for (const expectation of expectations) {
  test(`raw HTTP: Expect: ${expectation} is ignored, and errors under it are the envelope`, async () => {
    const before = await service.usedUnits(session);
    const rest = `Host: kurs\r\nConnection: close\r\nExpect: ${expectation}\r\n`;

    const read = await send(`GET /v1/rates/EUR/USD HTTP/1.1\r\n${rest}${key}\r\n`);
    const refused = await send(`GET /v1/rates/EUR/USD HTTP/1.1\r\n${rest}\r\n`);

    assert.equal(read.status, 200);
    assertFailure(refused, 401, "unauthorized");
    assert.equal(await service.usedUnits(session), before + 1);
  });
}

test("raw HTTP: Expect: 100-continue is answered before the body is sent", async () => {
  const [interim, answer] = await sendRaw(
    service.url,
    "POST /v1/auth/login HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\nExpect: 100-continue\r\n" +
      "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
  );

  assert.equal(interim?.status, 100);
  assert.ok(answer !== undefined);
  assertFailure(answer, 400, "invalid_request", /email/);
});

test("raw HTTP: a wish to upgrade is ignored", async () => {
  for (const protocol of ["websocket", "h2c"]) {
    const { status } = await send(
      `GET /healthz HTTP/1.1\r\nHost: kurs\r\nUpgrade: ${protocol}\r\nConnection: Upgrade, close\r\n\r\n`,
    );
    assert.equal(status, 200);
  }
});

test("raw HTTP: a whole address in place of the path is the path's", async () => {
  const before = await service.usedUnits(session);

  const { status } = await send(
    `GET http://kurs/v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\n${key}\r\n`,
  );

  assert.equal(status, 200);
  assert.equal(await service.usedUnits(session), before + 1);
});

test("raw HTTP: HTTP/1.0 is served, and closes", async () => {
  const read = await send(`GET /v1/rates/EUR/USD HTTP/1.0\r\n${key}\r\n`);
  const refused = await send("GET /v1/rates/EUR/USD HTTP/1.0\r\n\r\n");

  assert.equal(read.status, 200);
  assertFailure(refused, 401, "unauthorized");
});

test("raw HTTP: of two Authorization headers the account is charged for one read at most", async () => {
  const before = await service.usedUnits(session);
  const wrong = `Authorization: ApiKey svc_live_${"0".repeat(64)}\r\n`;
  const rest = "Host: kurs\r\nConnection: close\r\n";

  await send(`GET /v1/rates/EUR/USD HTTP/1.1\r\n${rest}${key}${key}\r\n`);
  const refused = await send(`GET /v1/rates/EUR/USD HTTP/1.1\r\n${rest}${wrong}${key}\r\n`);

  assertFailure(refused, 401, "unauthorized");
  assert.ok((await service.usedUnits(session)) - before <= 1);
});

test("raw HTTP: a client that ends its side after its request has its answer all the same", async () => {
  const [email, password] = ["half@example.org", "correct horse battery"];
  const body = JSON.stringify({ email, password });
  const post = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;

  const registered = await send(post("/v1/auth/register"), true);
  const loggedIn = await sendRaw(service.url, post("/v1/auth/login").repeat(2), true);

  assert.equal(registered.status, 201);
  assert.deepEqual(
    loggedIn.map(({ status }) => status),
    [200, 200],
  );
});
