import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { assertFailure, CHALLENGE } from "../support/assertions.ts";
import { openWire, sendRaw, type Wire, type WireAnswer } from "../support/raw-connection.ts";
import { startSharedService } from "../support/service.ts";

// Requests that no HTTP client sends, on a bare socket: every error still has the envelope.

const service = await startSharedService();

const { session, apiKey } = await service.newCustomer();
const key = `Authorization: ApiKey ${apiKey}\r\n`;

const send = async (text: string, hangUp = false) => {
  const [answer, ...more] = await sendRaw(service.url, text, hangUp);
  assert.ok(answer !== undefined, "no response");
  assert.deepEqual(more, []);
  return answer;
};

const readOf = (version: string, lines = "") =>
  `GET /v1/rates/EUR/USD${version}\r\nHost: kurs\r\nConnection: keep-alive\r\n${key}${lines}\r\n`;
const CHUNKS = "2\r\n{}\r\n0\r\n\r\n";

const malformed = [
  ["no HTTP at all", "hello\r\n\r\n"],
  ["a method that is not a token", "GE(T /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n"],
  ["a target with bytes beyond ASCII", "GET /v1/rates/\u00c4/USD HTTP/1.1\r\nHost: kurs\r\n\r\n"],
  ["an invalid version", "GET /healthz HTTP/9.9\r\nHost: kurs\r\n\r\n"],
  ["HTTP/2.0", readOf(" HTTP/2.0")],
  ["HTTP/0.9", readOf(" HTTP/0.9")],
  ["no version", readOf("")],
  ["RTSP/1.0", readOf(" RTSP/1.0")],
  ["HTTP/2.0 with an unknown method", "FOO /healthz HTTP/2.0\r\nHost: kurs\r\n\r\n"],
  ["chunks in HTTP/1.0", readOf(" HTTP/1.0", "Transfer-Encoding: chunked\r\n") + CHUNKS],
  ["a coding before chunked", readOf(" HTTP/1.1", "Transfer-Encoding: gzip, chunked\r\n") + CHUNKS],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a TLS greeting", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n"],
  ["a header without a colon", "GET /healthz HTTP/1.1\r\nHost: kurs\r\nbroken\r\n\r\n"],
  ["a header with a space in its name", `GET /healthz HTTP/1.1\r\nHost: kurs\r\na b: c\r\n\r\n`],
  ["a zero byte in a header", "GET /healthz HTTP/1.1\r\nHost: kurs\r\na: \u0000\r\n\r\n"],
  ["a length that is not a number", "POST /v1/auth/login HTTP/1.1\r\nContent-Length: x\r\n\r\n"],
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
    "a chunk without a valid size",
    "POST /v1/auth/login HTTP/1.1\r\nHost: k\r\nContent-Type: application/json\r\n" +
      "Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
  ],
] as const;

const unknownMethods = ["FOO", "GETS", "DESCRIBE", "GET_PARAMETER", "*"].flatMap((method) =>
  ["/v1/rates/EUR/USD", "/nowhere"].map((path) => {
    return [`${method} ${path}`, `${method} ${path} HTTP/1.1\r\nHost: kurs\r\n${key}\r\n`] as const;
  }),
);

/** Sends each byte in a packet of its own: the server, in this process, reads it before the next. */
async function sendBytes(wire: Wire, text: string): Promise<void> {
  for (const byte of text) {
    wire.send(byte);
    await setImmediate();
  }
}

const read = `GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\n${key}\r\n`;
/** No request: it ends a connection that is still open. */
const END = "GET / HTTP/9\r\n\r\n";
const health = "GET /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n";

for (const [what, text] of malformed) {
  test(`raw HTTP: ${what} is 400 in the envelope`, async () => {
    const [answer, ...more] = await sendRaw(service.url, text + END);
    assert.ok(answer !== undefined);
    assertFailure(answer, 400, "invalid_request");
    assert.deepEqual(more, []);
  });
}

test("raw HTTP: HTTP/1.1 without Host is 400 in the envelope, uncharged (RFC 9112, 3.2)", async () => {
  for (const path of ["/healthz", "/v1/rates/EUR/USD", "/v1/account/usage"]) {
    const answer = await send(`GET ${path} HTTP/1.1\r\nConnection: close\r\n${key}\r\n`);
    assertFailure(answer, 400, "invalid_request");
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("raw HTTP: a request that ends within its headers is 400 in the envelope", async () => {
  for (const start of ["GET /healthz HTTP/1.1\r\nHo", "FOO /heal"]) {
    assertFailure(await send(start, true), 400, "invalid_request");
  }
});

test("§4 raw HTTP: a method unknown to Node.js is 405 with Allow on a known path, else 404", async () => {
  const before = await service.usedUnits(session);
  const allowed = [
    ["/v1/rates/EUR/USD", "GET, HEAD"],
    ["/v1/rates/EUR/\xc3\x84", "GET, HEAD"],
    ["http://kurs/v1/account/api-keys/1", "DELETE"],
    ["/v1/auth/login", "POST"],
    ["/healthz", "GET, HEAD"],
  ] as const;
  for (const method of ["FOO", "get", "GETS", "G", "*", "DESCRIBE", "PLAY"]) {
    for (const [path, allow] of allowed) {
      // Node.js knows them, and rejects the path first, as with POST.
      if (/DESCRIBE|PLAY/.test(method) && path.includes("\xc3")) continue;
      const text = `${method} ${path} HTTP/1.1\r\nHost: kurs\r\n${key}\r\n`;
      const answer = await send(text);
      assertFailure(answer, 405, "method_not_allowed");
      assert.equal(answer.headers.allow, allow, `${method} ${path}`);
      assert.equal(answer.headers.connection, "close");
    }
    const unknown = await send(`${method} /nowhere HTTP/1.1\r\nHost: kurs\r\n\r\n`);
    assertFailure(unknown, 404, "not_found");
  }
  assert.equal(await service.usedUnits(session), before);
});

const oddSymbols = [
  ["an escape that cannot be decoded", "GET /v1/rates/%zz/USD"],
  ["such an escape in an absolute URL", "GET http://h/v1/rates/%zz/USD"],
  ["such an escape in a HEAD request", "HEAD /v1/rates/%zz/USD"],
] as const;

for (const [what, start] of oddSymbols) {
  test(`§4 raw HTTP: ${what} is 401 without a key, and with one an invalid symbol, uncharged`, async () => {
    const before = await service.usedUnits(session);
    const rest = "HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\n";

    const withoutKey = await send(`${start} ${rest}\r\n`);
    const withKey = await send(`${start} ${rest}${key}\r\n`);

    assert.equal(withoutKey.status, 401);
    assert.match(withoutKey.headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
    assert.equal(withKey.status, 400);
    assert.match(withKey.headers.ratelimit ?? "", /^"units";r=/);
    if (!start.startsWith("HEAD")) {
      assertFailure(withoutKey, 401, "unauthorized");
      assertFailure(withKey, 400, "invalid_asset_symbol");
    }
    assert.equal(await service.usedUnits(session), before);
  });
}

test("§4 raw HTTP: an id that cannot be decoded is 401 without a session, and 404 with one", async () => {
  for (const id of ["%ff", "%zz"]) {
    const start = `DELETE /v1/account/api-keys/${id} HTTP/1.1\r\nHost: k\r\nConnection: close\r\n`;
    const signedIn = `Authorization: Session ${session}\r\n\r\n`;
    assertFailure(await send(`${start}\r\n`), 401, "unauthorized");
    assertFailure(await send(start + signedIn), 404, "not_found");
  }
});

const hosts = [
  ["two Hosts", "Host: kurs\r\nHost: other\r\n"],
  ["the same Host twice", "Host: kurs\r\nHost: kurs\r\n"],
  ["a Host with a space", "Host: a b\r\n"],
  ["a Host with a path", "Host: kurs/v1\r\n"],
  ["a Host with a user", "Host: user@kurs\r\n"],
  ["a Host that is a URL", "Host: http://kurs\r\n"],
  ["a Host with a non-numeric port", "Host: kurs:http\r\n"],
  ["a Host with half a bracket", "Host: [::1\r\n"],
] as const;

for (const [what, lines] of hosts) {
  test(`raw HTTP: ${what} is 400, uncharged (RFC 9112, section 3.2)`, async () => {
    const before = await service.usedUnits(session);
    for (const path of ["/healthz", "/v1/rates/EUR/USD", "/nowhere"]) {
      const answers = await sendRaw(
        service.url,
        `GET ${path} HTTP/1.1\r\n${lines}${key}\r\nGET / HTTP/1.0\r\n\r\n`,
      );
      const [answer] = answers;
      assert.ok(answer !== undefined);
      assertFailure(answer, 400, "invalid_request", /Host/);
    }
    // Alone in its packet, a plain read would take the fast path.
    using wire = await openWire(service.url);
    wire.send(`GET /v1/rates/EUR/USD HTTP/1.1\r\n${lines}${key}\r\n`);
    assert.equal((await wire.answer()).status, 400);
    assert.equal(await service.usedUnits(session), before);
  });
}

test("raw HTTP: a fragment in the request target is 400, uncharged", async () => {
  const before = await service.usedUnits(session);
  for (const target of [
    "/v1/rates/EUR/USD#a",
    "/v1/rates/EUR/USD?a#b",
    "http://k/healthz#",
    "/#",
  ]) {
    const text = `GET ${target} HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\n${key}\r\n`;
    assertFailure(await send(text), 400, "invalid_request", /fragment/);
  }
  assert.equal(await service.usedUnits(session), before);
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

test("raw HTTP: just under 16 KiB of headers are accepted", async () => {
  const { status } = await send(
    `GET /healthz HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\na: ${"a".repeat(16_000)}\r\n\r\n`,
  );
  assert.equal(status, 200);
});

test("raw HTTP: CONNECT is 405 in the envelope, with Allow", async () => {
  for (const target of ["example.org:443", "/v1/rates/EUR/USD"]) {
    const answer = await send(`CONNECT ${target} HTTP/1.1\r\nHost: example.org:443\r\n${key}\r\n`);

    assertFailure(answer, 405, "method_not_allowed");
    assert.ok(Object.hasOwn(answer.headers, "allow"));
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("raw HTTP: every rejection closes the connection, and later requests on it are not served", async () => {
  for (const [, text] of [...malformed, ...tooLarge]) {
    const answer = await send(text + read + END);
    assert.equal(answer.headers.connection, "close");
  }
  assert.equal(await service.usedUnits(session), 0);
});

test("raw HTTP: a valid request before a malformed one is served and charged once", async () => {
  const before = await service.usedUnits(session);

  const answers = await sendRaw(service.url, `${read}garbage\r\n\r\n`);

  const [first, last, ...more] = answers;
  assert.equal(first?.status, 200);
  assert.ok(last !== undefined);
  assertFailure(last, 400, "invalid_request");
  assert.deepEqual(more, []);
  assert.equal(await service.usedUnits(session), before + 1);
});

const expectations = ["something", "200-ok", "100-later"];

for (const expectation of expectations) {
  test(`raw HTTP: Expect: ${expectation} is ignored, and errors keep the envelope`, async () => {
    const before = await service.usedUnits(session);
    const rest = `Host: kurs\r\nConnection: close\r\nExpect: ${expectation}\r\n`;

    const read = await send(`GET /v1/rates/EUR/USD HTTP/1.1\r\n${rest}${key}\r\n`);
    const rejected = await send(`GET /v1/rates/EUR/USD HTTP/1.1\r\n${rest}\r\n`);

    assert.equal(read.status, 200);
    assertFailure(rejected, 401, "unauthorized");
    assert.equal(await service.usedUnits(session), before + 1);
  });
}

test("raw HTTP: the server responds to Expect: 100-continue before the body is sent", async () => {
  const [interim, answer] = await sendRaw(
    service.url,
    "POST /v1/auth/login HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\nExpect: 100-continue\r\n" +
      "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
  );

  assert.equal(interim?.status, 100);
  assert.ok(answer !== undefined);
  assertFailure(answer, 400, "invalid_request", /email/);
});

test("raw HTTP: an upgrade request is served without an upgrade", async () => {
  for (const protocol of ["websocket", "h2c"]) {
    const { status } = await send(
      `GET /healthz HTTP/1.1\r\nHost: kurs\r\nUpgrade: ${protocol}\r\nConnection: Upgrade, close\r\n\r\n`,
    );
    assert.equal(status, 200);
  }
});

test("raw HTTP: an absolute URL as the request target is served as its path", async () => {
  const before = await service.usedUnits(session);

  const { status } = await send(
    `GET http://kurs/v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\nConnection: close\r\n${key}\r\n`,
  );

  assert.equal(status, 200);
  assert.equal(await service.usedUnits(session), before + 1);
});

test("raw HTTP: HTTP/1.0 is served, and the connection closes", async () => {
  const read = await send(`GET /v1/rates/EUR/USD HTTP/1.0\r\n${key}\r\n`);
  const rejected = await send("GET /v1/rates/EUR/USD HTTP/1.0\r\n\r\n");

  assert.equal(read.status, 200);
  assertFailure(rejected, 401, "unauthorized");
});

test("raw HTTP: a client that half-closes after its request gets its response", async () => {
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

test("raw HTTP: every valid form of Host is served", async () => {
  for (const host of ["kurs", "kurs:8080", "127.0.0.1:1", "[::1]:8080", "[::1]", "a_b.c-d", ""]) {
    const text = `GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: ${host}\r\n${key}\r\n`;
    using wire = await openWire(service.url);
    wire.send(text);
    assert.equal((await wire.answer()).status, 200, host);
  }
});

/** Further ways in which a request arrives, and the units that those before it cost. */
const arrivals = [
  ["byte by byte", 0, sendBytes],
  [
    "before the client's end",
    0,
    (wire: Wire, text: string) => void wire.socket.end(text, "latin1"),
  ],
  ["behind a read", 1, (wire: Wire, text: string) => wire.send(read + text)],
  [
    "byte by byte, behind others",
    1,
    (wire: Wire, text: string) => sendBytes(wire, read + health + text),
  ],
  [
    "on a connection that was used",
    1,
    async (wire: Wire, text: string) => {
      wire.send(read);
      await wire.untilAnswer();
      wire.send(text);
    },
  ],
] as const;

for (const [how, units, arrive] of arrivals) {
  test(`raw HTTP: a request that is rejected as it arrives is so ${how}, and nothing behind it served`, async () => {
    for (const [what, text] of [...malformed, ...unknownMethods]) {
      const before = await service.usedUnits(session);
      const [expected] = await sendRaw(service.url, text + END);
      using wire = await openWire(service.url);
      await arrive(wire, text);
      if (wire.socket.writable) wire.send(read + END);
      await wire.untilEnd();
      const answers: WireAnswer[] = [];
      while (wire.received() !== "") answers.push(await wire.answer());
      const last = answers.at(-1);
      assert.ok(expected !== undefined && last !== undefined, what);
      const of = ({ status, body, headers }: WireAnswer) => [status, body.message, headers.allow];
      assert.deepEqual(of(last), of(expected), what);
      assert.equal(last.headers.connection, "close", what);
      for (const { status } of answers.slice(0, -1)) assert.equal(status, 200);
      assert.equal((await service.usedUnits(session)) - before, units, what);
    }
  });
}
