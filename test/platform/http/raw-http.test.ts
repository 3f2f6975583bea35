import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure, CHALLENGE } from "../../support/assertions.ts";
import { openWire, plainRead, sendRaw } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";

// Requests that no HTTP client sends and that node:http accepts, on a bare socket. What it rejects
// is in hostile-rows.ts.

const service = await startSharedService();
const { session, apiKey } = await service.newCustomer();
const HOST = "Host: kurs\r\n";
const key = `Authorization: ApiKey ${apiKey}\r\n`;
const READ = "GET /v1/rates/EUR/USD HTTP/1.1\r\n";
const CLOSE = "Connection: close\r\n";

/** @returns the only response, and the units that the request cost. */
async function outcomeOf(text: string, hangUp = false) {
  const before = await service.usedUnits(session);
  const [answer, ...more] = await sendRaw(service.url, text, hangUp);
  assert.ok(answer !== undefined, "no response");
  assert.deepEqual(more, []);
  return { answer, units: (await service.usedUnits(session)) - before };
}

const get = (target: string) => `GET ${target} HTTP/1.1\r\n${HOST}${CLOSE}${key}\r\n`;
const withHost = (path: string, lines: string) =>
  `GET ${path} HTTP/1.1\r\n${lines}${key}${CLOSE}\r\n`;
const badHosts = [
  ...["", "Host: kurs\r\nHost: other\r\n", "Host: kurs\r\nHost: kurs\r\n", "Host: a b\r\n"],
  ...["Host: kurs/v1\r\n", "Host: user@kurs\r\n", "Host: http://kurs\r\n", "Host: kurs:http\r\n"],
  ...["Host: [::1\r\n", "Host: kurs:123456\r\n"],
];

const rejected: readonly (readonly [
  texts: string[],
  status: number,
  code: string,
  about: RegExp,
])[] = [
  [
    badHosts.flatMap((lines) =>
      ["/healthz", "/v1/rates/EUR/USD", "/nowhere"].map((path) => withHost(path, lines)),
    ),
    ...([400, "invalid_request", /Host|not valid HTTP/] as const),
  ],
  [
    ["/v1/rates/EUR/USD#a", "/v1/rates/EUR/USD?a#b", "http://k/healthz#", "/#"].map(get),
    ...([400, "invalid_request", /fragment/] as const),
  ],
  [
    ["*", "*v1/rates/EUR/USD", "*healthz", "*docs"].map(get),
    ...([404, "not_found", /\S/] as const),
  ],
];

for (const [texts, status, code, about] of rejected) {
  test(`raw HTTP: ${texts.length} requests with a ${about} or target that names nothing are ${status}, uncharged`, async () => {
    for (const text of texts) {
      const { answer, units } = await outcomeOf(text);
      assertFailure(answer, status, code, about);
      assert.equal(units, 0, text);
    }
  });
}

const upgrade = (protocol: string) => `Upgrade: ${protocol}\r\nConnection: Upgrade, close\r\n`;
/** Reads that are served and charged once. */
const served = [
  ...["kurs", "kurs:8080", "127.0.0.1:1", "[::1]:8080", "[::1]", "a_b.c-d", ""].map((host) =>
    withHost("/v1/rates/EUR/USD", `Host: ${host}\r\n`),
  ),
  ...["something", "200-ok", "100-later"].map((what) =>
    withHost("/v1/rates/EUR/USD", `${HOST}Expect: ${what}\r\n`),
  ),
  ...["websocket", "h2c"].map((protocol) => `${READ}${HOST}${key}${upgrade(protocol)}\r\n`),
  withHost("/v1/rates/EUR/USD", `${HOST}a: ${"a".repeat(16_000)}\r\n`),
  withHost("http://kurs/v1/rates/EUR/USD", HOST),
  withHost("/v1/rates/EUR/US%44?x=%", HOST),
  `GET /v1/rates/EUR/USD HTTP/1.0\r\n${key}\r\n`,
];

test(`raw HTTP: ${served.length} unusual reads are served and charged once, and 401 without a key`, async () => {
  for (const text of served) {
    const { answer, units } = await outcomeOf(text);
    assert.deepEqual([answer.status, units], [200, 1], text);
    const withoutKey = await outcomeOf(text.replace(key, ""));
    assertFailure(withoutKey.answer, 401, "unauthorized");
    assert.equal(withoutKey.units, 0);
  }
});

test("raw HTTP: a request that ends within its headers is 400 in the envelope", async () => {
  for (const start of ["GET /healthz HTTP/1.1\r\nHo", "FOO /heal"]) {
    assertFailure((await outcomeOf(start, true)).answer, 400, "invalid_request");
  }
});

for (const start of [
  "GET /v1/rates/%zz/USD",
  "GET http://h/v1/rates/%zz/USD",
  "HEAD /v1/rates/%zz/USD",
]) {
  test(`§4 raw HTTP: ${start} is 401 without a key, and with one an invalid symbol, uncharged`, async () => {
    const rest = `HTTP/1.1\r\n${HOST}${CLOSE}`;
    const without = await outcomeOf(`${start} ${rest}\r\n`);
    const { answer, units } = await outcomeOf(`${start} ${rest}${key}\r\n`);

    assert.deepEqual(
      [without.answer.status, without.units, answer.status, units],
      [401, 0, 400, 0],
    );
    assert.match(without.answer.headers["www-authenticate"] ?? "", CHALLENGE.ApiKey);
    assert.match(answer.headers.ratelimit ?? "", /^"units";r=/);
    if (!start.startsWith("HEAD")) assertFailure(answer, 400, "invalid_asset_symbol");
  });
}

test("§4 raw HTTP: an id that cannot be decoded is 401 without a session, and 404 with one", async () => {
  for (const id of ["%ff", "%zz"]) {
    const start = `DELETE /v1/account/api-keys/${id} HTTP/1.1\r\n${HOST}${CLOSE}`;
    const signedIn = `Authorization: Session ${session}\r\n\r\n`;
    assertFailure((await outcomeOf(`${start}\r\n`)).answer, 401, "unauthorized");
    assertFailure((await outcomeOf(start + signedIn)).answer, 404, "not_found");
  }
});

const post = (path: string, body: string, lines = "") =>
  `POST ${path} HTTP/1.1\r\n${HOST}${lines}Content-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

test("raw HTTP: the server responds to Expect: 100-continue before the body is sent", async () => {
  const text = post("/v1/auth/login", "{}", `${CLOSE}Expect: 100-continue\r\n`);
  const [interim, answer] = await sendRaw(service.url, text);

  assert.equal(interim?.status, 100);
  assert.ok(answer !== undefined);
  assertFailure(answer, 400, "invalid_request", /email/);
});

test("raw HTTP: a client that half-closes after its requests gets their responses", async () => {
  const body = JSON.stringify({ email: "half@example.org", password: "correct horse battery" });
  const registered = await outcomeOf(post("/v1/auth/register", body), true);
  const loggedIn = await sendRaw(service.url, post("/v1/auth/login", body).repeat(2), true);

  const statuses = [registered.answer, ...loggedIn].map(({ status }) => status);
  assert.deepEqual(statuses, [201, 200, 200]);
});

test("raw HTTP: valid requests on one connection get one response each, whatever their bodies", async () => {
  const before = await service.usedUnits(session);
  using wire = await openWire(service.url);
  const hidden = plainRead(apiKey);
  const body = JSON.stringify({ email: hidden, password: `0\r\n\r\n${hidden}` });
  const chunk = `${body.length.toString(16)};name="value"\r\n${body}\r\n`;
  const start = `POST /v1/auth/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

  for (const [text, status] of [
    [post("/v1/auth/login", body), 400],
    [`${start}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\nTrailer: x\r\n\r\n`, 400],
    [`GET /healthz HTTP/1.1\r\n${HOST}Content-Length: ${hidden.length}\r\n\r\n${hidden}`, 200],
  ] as const) {
    wire.send(text);
    assert.equal((await wire.answer()).status, status);
    assert.equal(wire.received(), "", "a second response came");
  }
  assert.equal(await service.usedUnits(session), before);
});
