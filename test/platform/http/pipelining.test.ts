import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { suite, test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import { openWire, sendRaw } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";

// Several requests on one connection, the last of them broken: responses come in the order of their
// requests, every charge and every stored change has its response, and a request that gets only a
// framing error has changed nothing.

const service = await startSharedService({ config: { freePlanUnits: 1_000_000 } });

const { session, apiKey } = await service.newCustomer();

const headOf = (target: string, ...lines: readonly string[]) =>
  [
    `GET ${target} HTTP/1.1`,
    "Host: kurs",
    `Authorization: ApiKey ${apiKey}`,
    ...lines,
    "",
    "",
  ].join("\r\n");
const readWith = (...lines: readonly string[]) => headOf("/v1/rates/EUR/USD", ...lines);
const read = readWith();

/** Sends bytes. @returns the statuses of all responses and the units that they cost. */
async function outcomeOf(text: string, hangUp = false) {
  const before = await service.usedUnits(session);
  const answers = await sendRaw(service.url, text, hangUp);
  for (const answer of answers) {
    if (answer.status >= 400) assertFailure(answer, answer.status, String(answer.body.code));
  }
  const statuses = answers.map(({ status }) => status);
  return { statuses, units: (await service.usedUnits(session)) - before };
}

/** Connections are read in order: the response to this shows that earlier bytes were read. */
async function serverHasRead(): Promise<void> {
  assert.equal((await service.get("/healthz")).status, 200);
}

test("a read whose chunk is invalid and arrives after the head gets only its error, uncharged", async () => {
  const before = await service.usedUnits(session);
  using wire = await openWire(service.url);
  wire.send(readWith("Transfer-Encoding: chunked"));
  await serverHasRead();
  assert.equal(await service.usedUnits(session), before, "the head alone was charged");

  wire.send("ZZ\r\n");

  assert.equal((await wire.answer()).status, 400);
  await wire.untilEnd();
  assert.equal(wire.received(), "");
  assert.equal(await service.usedUnits(session), before);
});

suite("150 reads in one packet are all served and charged before", () => {
  for (const [what, text, status] of [
    ["garbage", "garbage\r\n\r\n", 400],
    ["CONNECT", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405],
    ["too large headers", `GET / HTTP/1.1\r\nHost: kurs\r\na: ${"a".repeat(17_000)}\r\n\r\n`, 413],
    ["an unknown method", "BREW /healthz HTTP/1.1\r\nHost: kurs\r\n\r\n", 405],
  ] as const) {
    test(`${what}, which gets the last response`, async () => {
      const { statuses, units } = await outcomeOf(read.repeat(150) + text);
      assert.deepEqual([statuses, units], [[...new Array(150).fill(200), status], 150]);
    });
  }
  test("a stray byte, when the client half-closes", async () => {
    assert.deepEqual(await outcomeOf(`${read}X`, true), { statuses: [200, 400], units: 1 });
  });

  test("a request cut off in its body, which changes nothing", async () => {
    const create = `${POST_KEY}Content-Length: 99\r\n\r\n{"name"`;
    const keys = await keyCount();
    const outcome = await outcomeOf(read + create, true);
    assert.deepEqual(outcome, { statuses: [200, 400], units: 1 });
    assert.equal(await keyCount(), keys);
  });
});

test("requests after one with `Connection: close` are neither served nor charged", async () => {
  for (const [first, units] of [
    [readWith("Connection: close"), 1],
    [read.replace("HTTP/1.1", "HTTP/1.0"), 1],
    [`${read}${read}${readWith("Connection: close")}`, 3],
  ] as const) {
    const outcome = await outcomeOf(first + read);
    assert.deepEqual(outcome, { statuses: new Array(units).fill(200), units });
  }
});

const POST_KEY =
  "POST /v1/account/api-keys HTTP/1.1\r\nHost: kurs\r\n" +
  `Authorization: Session ${session}\r\nContent-Type: application/json\r\n`;

async function keyCount(): Promise<number> {
  const { body } = await service.get("/v1/account/api-keys", { session });
  return (body.api_keys as unknown[]).length;
}

test("the response to a key's creation contains the key, whatever follows the request", async () => {
  const json = '{"name":"pipelined"}';
  const before = await keyCount();

  const answers = await sendRaw(
    service.url,
    `${POST_KEY}Content-Length: ${json.length}\r\n\r\n${json}garbage\r\n\r\n`,
  );

  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 400],
  );
  assert.match(String(answers[0]?.body.api_key), /^svc_live_[0-9a-f]{64}$/);
  assert.equal(await keyCount(), before + 1);
});

test("a key whose request has an invalid chunk is not stored", async () => {
  const before = await keyCount();
  const head = `${POST_KEY}Transfer-Encoding: chunked\r\n\r\n`;
  const { statuses } = await outcomeOf(`${head}a\r\n{"name":"a"\r\nZZ\r\n`);
  assert.deepEqual(statuses, [400]);
  assert.equal(await keyCount(), before);
});

test("requests behind malformed JSON are served, charged and stored like any other", async () => {
  const before = await service.usedUnits(session);
  const keys = await keyCount();
  const json = '{"name":"behind"}';
  const create = `${POST_KEY}Content-Length: ${json.length}\r\n\r\n${json}`;
  for (const path of ["/v1/auth/login", "/v1/auth/register", "/v1/auth/password-reset"]) {
    const malformed =
      `POST ${path} HTTP/1.1\r\nHost: kurs\r\nContent-Type: application/json\r\n` +
      "Content-Length: 1\r\n\r\n{";
    const { statuses } = await outcomeOf(
      `${malformed}${read.repeat(5)}${create}${readWith("Connection: close")}`,
    );
    assert.deepEqual(statuses, [400, 200, 200, 200, 200, 200, 201, 200]);
  }
  assert.equal((await service.usedUnits(session)) - before, 18);
  assert.equal((await keyCount()) - keys, 3);
});

test("an upgrade request is the last on its connection: later requests are not served", async () => {
  for (const protocol of ["websocket", "h2c"]) {
    const upgrade = readWith("Connection: Upgrade", `Upgrade: ${protocol}`);
    const before = await service.usedUnits(session);
    using wire = await openWire(service.url);
    wire.send(read + upgrade + read);
    assert.equal((await wire.answer()).status, 200);
    const last = await wire.answer();
    assert.equal(last.status, 200);
    assert.ok(last.lines.some((line) => /^connection: close$/i.test(line)));
    await wire.untilEnd();
    assert.equal(wire.received(), "");
    assert.equal((await service.usedUnits(session)) - before, 2);
  }
});

test("Expect: 100-continue behind another request gets only a final response, the last", async () => {
  const { text: document } = await service.get("/openapi.json");
  const expecting = "HTTP/1.1\r\nHost: kurs\r\nExpect: 100-continue\r\n\r\n";
  for (const path of ["/openapi.json", "/v1/account/pairs", "/healthz"]) {
    const before = await service.usedUnits(session);
    const get = `GET ${path} ${expecting}`.replace(
      "Expect",
      `Authorization: Session ${session}\r\nExpect`,
    );
    const answers = await sendRaw(service.url, read + get + read);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    if (path === "/openapi.json") assert.equal(answers[1]?.text, document);
    assert.equal(answers[1]?.headers.connection, "close");
    assert.equal((await service.usedUnits(session)) - before, 1, "a read got no response");
  }
});

test("malformed JSON ends the connection when the client asks for that", async () => {
  for (const wish of ["Connection: close", "Connection: Upgrade\r\nUpgrade: x"]) {
    using wire = await openWire(service.url);
    wire.send(
      `POST /v1/auth/login HTTP/1.1\r\nHost: kurs\r\n${wish}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 1\r\n\r\n{",
    );
    const { status, lines } = await wire.answer();
    assert.equal(status, 400);
    assert.ok(lines.some((line) => /^connection: close$/i.test(line)));
    await wire.untilEnd();
  }
});

test("a read with a body is served and charged once the body is complete", async () => {
  const before = await service.usedUnits(session);
  using wire = await openWire(service.url);
  wire.send(readWith("Content-Length: 5"));
  await serverHasRead();
  assert.equal(wire.received(), "");
  assert.equal(await service.usedUnits(session), before);

  wire.send(`hello${read}`);

  assert.equal((await wire.answer()).status, 200);
  assert.equal((await wire.answer()).status, 200);
  assert.equal(await service.usedUnits(session), before + 2);
});

test("of 1,500 requests in one packet, node:http has only a few in memory at a time", async () => {
  let inFlight = 0;
  let most = 0;
  const begin = () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
  };
  const end = () => {
    inFlight -= 1;
  };
  subscribe("http.server.request.start", begin);
  subscribe("http.server.response.finish", end);
  const requests = "GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\n\r\n".repeat(1500);
  const answers = await sendRaw(service.url, `${requests}\r\nbroken\r\n\r\n`);
  unsubscribe("http.server.request.start", begin);
  unsubscribe("http.server.response.finish", end);

  // A busy service rejects some: 503.
  const statuses = answers.map(({ status }) => (status === 503 ? 401 : status));
  assert.deepEqual(statuses, [...Array.from({ length: 1500 }, () => 401), 400]);
  assert.ok(most <= 40, `${most} were in flight`);
});
