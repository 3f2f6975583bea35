import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { callOf, PATH } from "../../test/reads/mcp/messages.ts";
import { eventually } from "../../test/support/mails.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";
import { runsOf, SEED } from "../../test/support/properties.ts";
import { Draws } from "../../test/support/random.ts";
import { openWire, type Wire, type WireAnswer } from "../../test/support/raw-connection.ts";
import { openSockets } from "../../test/support/resources.ts";

// Connections with random requests, which clients reset, end and cut at random moments. The server
// has a process of its own: in the clients' event loop no reset could arrive between its reading and
// its writing.

/** Bytes that a client sends, and the response that they may get. */
interface Sent {
  readonly text: string;
  readonly statuses: readonly number[];
  /** What the body of a success contains: it shows that responses keep their order. */
  readonly contains?: string;
  /** The units that a response with one of the statuses up to 404 costs; a 503 costs none. */
  readonly units?: 1;
  readonly isHead?: true;
  readonly expectsContinue?: true;
  /** Whether the connection closes behind the response. */
  readonly isLast?: true;
}

interface Credentials {
  readonly apiKey: string;
  readonly session: string;
}

const HOST = "Host: localhost\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";
const PROXIED = ["", "", "X-Forwarded-For: 203.0.113.9\r\n", "Via: 1.1 proxy\r\n"];
const JSON_TYPE = "Content-Type: application/json\r\n";
const pairs = ["EUR/USD", "EUR/GBP", "EUR/JPY", "EUR/CHF", "EUR/SEK"];

/** A request, drawn by chance: valid, invalid, unknown or half a one. */
function drawRequest(draws: Draws, { apiKey, session }: Credentials): Sent {
  const pair = draws.one(pairs);
  const [base, quote] = pair.split("/");
  const contains = `"base":"${base}","quote":"${quote}"`;
  const key = `Authorization: ApiKey ${apiKey}\r\n`;
  const proxied = draws.one(PROXIED);
  const head = (line: string, more = "\r\n") => `${line} HTTP/1.1\r\n${HOST}${proxied}${more}`;
  const logIn = (more: string) => head("POST /v1/auth/login", more);
  const body = (text: string) => `${JSON_TYPE}Content-Length: ${text.length}\r\n\r\n${text}`;
  const read = head(`GET /v1/rates/${pair}`, key);
  const { headers, json } = callOf("2025", "get_rate", { base, quote });
  const lines = Object.entries(headers)
    .filter(([name]) => name !== "content-type")
    .map(([name, value]) => `${name}: ${value}\r\n`);
  const badChunk = draws.chance(0.5)
    ? `${read}${CHUNKED}ZZ\r\n`
    : logIn(`Expect: 100-continue\r\n${JSON_TYPE}${CHUNKED}ZZ\r\n`);
  const found = { contains, units: 1 } as const;
  const last = { isLast: true } as const;
  const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  /** Every kind of request: how often it is drawn, its bytes, and what it gets. */
  const kinds: readonly (readonly [weight: number, string, number, Partial<Sent>?])[] = [
    [8, `${read}\r\n`, 200, found],
    [2, head("GET /v1/rates/EUR/XXX", `${key}\r\n`), 404, { units: 1 }],
    [2, head(`HEAD /v1/rates/${pair}`, `${key}\r\n`), 200, { units: 1, isHead: true }],
    [1, `${read}Content-Length: 3\r\n\r\nabc`, 200, found],
    [3, head("GET /healthz"), 200],
    [2, head("GET /openapi.json"), 200, { contains: '"openapi"' }],
    [
      2,
      head("GET /v1/account/api-keys", `Authorization: Session ${session}\r\n\r\n`),
      ...([200, { contains: '"api_keys"' }] as const),
    ],
    [2, head("DELETE /nowhere"), 404],
    [
      2,
      head("POST /v1/auth/password-reset", body('{"email":"eve@example.org"}')),
      ...([202, { statuses: [202, 429] }] as const),
    ],
    [3, logIn(`Expect: 100-continue\r\n${body("{}")}`), 400, { expectsContinue: true }],
    [3, head(`POST ${PATH}`, key + lines.join("") + body(JSON.stringify(json))), 200, found],
    [2, logIn(`${JSON_TYPE}${CHUNKED}2\r\n{}\r\n0\r\n\r\n`), 400],
    [1, `${read}Connection: close\r\n\r\n`, 200, { ...found, ...last }],
    [1, `CONNECT x:443 HTTP/1.1\r\n${draws.one(["", "Content-Length: 9\r\n"])}\r\n`, 405, last],
    [1, head("FOO /healthz"), 405, last],
    [1, head("GET /v1/rates/\xff/USD"), 400, last],
    [1, badChunk, 400, { expectsContinue: true, ...last }],
    [1, "garbage\r\n\r\n", 400, last],
    [0.3, head("GET /", `X: ${"a".repeat(17_000)}`), 413, last],
    [0.5, head("GET /healthz", upgrade), 200, last],
  ];
  const weights = Object.fromEntries(kinds.map(([weight], index) => [index, weight]));
  const [, text, status, more] = kinds[Number(draws.kind(weights))] ?? assert.fail();
  return { text, statuses: [status], ...more };
}

/**
 * Takes what came on a connection that is over: the responses to requests, in order. An incomplete
 * one stays.
 *
 * @throws for bytes that are no response.
 */
async function responsesOn(wire: Wire, sent: readonly Sent[]): Promise<readonly WireAnswer[]> {
  const responses: WireAnswer[] = [];
  let mayContinue = true;
  while (wire.received() !== "") {
    const request = sent[responses.length];
    if (request === undefined) throw new Error("bytes behind the last response");
    const response = await wire.answer(request.isHead).catch(() => undefined);
    if (response === undefined) {
      assert.equal(wire.received().slice(0, 9), "HTTP/1.1 ".slice(0, wire.received().length));
      break;
    }
    for (const line of response.lines) assert.match(line, /^[\w-]+: [^\r\n]*$/);
    if (response.status !== 100) responses.push(response);
    else assert.ok(request.expectsContinue && mayContinue, "an unexpected 100");
    mayContinue = response.status !== 100;
  }
  return responses;
}

const SEQUENCES = runsOf(1500);
const AT_ONCE = 80;
const CONNECTIONS_MAX = 300;

const directory = await temporaryDirectory();
const server = await serve({
  dataDirectory: directory.path,
  env: {
    PLAN_FREE_UNITS: "1000000000",
    AUTH_LIMIT: "1000000",
    MAX_CONNECTIONS: String(CONNECTIONS_MAX),
  },
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});
const { pid } = server.program;
const socketsBefore = openSockets(pid);
/** Its connections stay open until every response has come: each charge is known. */
const patient = await server.newCustomer("ada@example.org");
/** Its connections are cut off: a charge may have no response. */
const hasty = await server.newCustomer("bob@example.org");

const endings = { halfClose: 6, resetAtOnce: 2, resetLater: 3, resetAtData: 2, destroy: 1 };

/** Sends text in one part or several, with pauses. */
async function send(socket: Socket, text: string, draws: Draws): Promise<void> {
  const bytes = Buffer.from(text, "latin1");
  const cuts = Array.from({ length: draws.chance(0.5) ? draws.whole(1, 4) : 0 }, () =>
    draws.below(bytes.length),
  );
  let start = 0;
  for (const end of [...cuts.sort((a, b) => a - b), bytes.length]) {
    if (start > 0) await pause(draws.whole(0, 2));
    if (!socket.writable) return;
    socket.write(bytes.subarray(start, end));
    start = end;
  }
}

function drawSequence(draws: Draws, credentials: Credentials): Sent[] {
  const sent = Array.from({ length: draws.whole(1, 6) }, () => drawRequest(draws, credentials));
  if (!draws.chance(0.15)) return sent;
  const { text } = drawRequest(draws, credentials);
  // Within the first line: the end of the client's side completes no request.
  const half = text.slice(0, draws.whole(1, text.indexOf("\r\n")));
  return [...sent, { text: half, statuses: [400, 405], isLast: true }];
}

async function runSequence(index: number): Promise<void> {
  const draws = new Draws([SEED, index]);
  const ending = draws.kind(endings);
  const isPatient = ending === "halfClose";
  const sent = drawSequence(draws, isPatient ? patient : hasty);
  using wire = await openWire(server.url, true);
  const { socket } = wire;
  if (ending === "resetAtData") socket.on("data", () => socket.resetAndDestroy());
  const closed = wire.untilEnd();
  const sending = (async () => {
    for (const one of sent) await send(socket, one.text, draws);
    if (isPatient) socket.end();
  })();
  if (ending === "resetLater") await pause(draws.whole(0, 8));
  else await sending;
  if (ending === "destroy") socket.destroy();
  else if (ending === "resetAtOnce" || ending === "resetLater") socket.resetAndDestroy();
  if (ending === "resetAtData") await Promise.race([closed, pause(50)]);
  else await closed;
  socket.destroy();
  await closed;
  const text = wire.received();
  try {
    await check(wire, sent, isPatient);
  } catch (cause) {
    const error = socket.errored?.message;
    const shown = JSON.stringify({ ending, sent, text: text.slice(-2000), error });
    throw new Error(`sequence ${index} of seed ${SEED}: ${shown}`, { cause });
  }
}

let [unitsOfPatient, responsesInAll, cutOff] = [0, 0, 0];

async function check(wire: Wire, sent: readonly Sent[], isPatient: boolean): Promise<void> {
  const last = sent.findIndex(({ isLast }) => isLast);
  const expected = last < 0 ? sent : sent.slice(0, last + 1);
  const responses = await responsesOn(wire, expected);
  const closes = responses.map(({ headers }) => headers.connection === "close");
  assert.ok(!closes.slice(0, -1).includes(true), "a response behind the last");
  for (const [place, { status, text }] of responses.entries()) {
    const { statuses, contains, units = 0 } = expected[place] as Sent;
    responsesInAll += 1;
    if (status === 503) continue;
    assert.ok(statuses.includes(status), `response ${place} has status ${status}: ${text}`);
    if (contains !== undefined) assert.ok(text.includes(contains), `${contains}: ${text}`);
    if (isPatient) unitsOfPatient += units;
  }
  if (!isPatient) return;
  assert.equal(wire.received(), "");
  // An expectation behind another request gets no interim response, and closes the connection.
  const isClosed = expected[responses.length - 1]?.expectsContinue && closes.at(-1);
  if (isClosed) return;
  // The server may close on bytes behind a last request, which resets the connection.
  const isReset = wire.socket.errored !== null;
  if (isReset && last >= 0 && last < sent.length - 1) cutOff += expected.length;
  else assert.equal(responses.length, expected.length, "a response is missing");
}

test(`${SEQUENCES} random connections get their responses in order, or are closed`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  let next = 0;
  const runMany = async () => {
    while (next < SEQUENCES) {
      next += 1;
      if (next % 5000 === 0) t.diagnostic(`${next} connections, ${responsesInAll} responses`);
      await runSequence(next);
    }
  };
  const failed = (error: unknown) => {
    next = SEQUENCES;
    return error;
  };
  const outcomes = Array.from({ length: AT_ONCE }, () => runMany().catch(failed));
  const failure = (await Promise.all(outcomes)).find((outcome) => outcome !== undefined);
  if (failure !== undefined) throw failure;

  assert.ok(server.program.isRunning);
  assert.equal((await server.get("/v1/rates/EUR/USD", { apiKey: patient.apiKey })).status, 200);
  const used = await server.usedUnits(patient.session);
  const least = unitsOfPatient + 1;
  assert.ok(used >= least && used <= least + cutOff, `${used} units, ${least} answered, ${cutOff}`);
  const faults = server
    .logLines()
    .filter(({ level, status }) => level === "error" || status === 500);
  assert.deepEqual(faults.slice(0, 3), []);
  t.diagnostic(`${responsesInAll} responses, ${least} units, ${cutOff} responses cut off`);
});

test("then every connection is free again", async () => {
  await eventually(
    "end of every connection",
    () => openSockets(pid) === socketsBefore || undefined,
  );
  const wires = await Promise.all(
    Array.from({ length: CONNECTIONS_MAX }, () => openWire(server.url)),
  );
  using scope = new DisposableStack();
  for (const wire of wires) scope.use(wire);
  const readAll = wires.map((wire) => wire.readRate("EUR/USD", patient.apiKey));
  for (const { status, text } of await Promise.all(readAll)) assert.equal(status, 200, text);
});
