import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../test/support/mails.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";
import { runsOf, SEED } from "../../test/support/properties.ts";
import { Draws } from "../../test/support/random.ts";
import { openWire } from "../../test/support/raw-connection.ts";
import { openSockets } from "../../test/support/resources.ts";
import { type Credentials, drawRequest, receivedOf, type Sent } from "./random-connection.ts";

// Connections with random requests, which clients reset, end and cut at random moments. The server
// has a process of its own: in the clients' event loop no reset could arrive between its reading and
// its writing.

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

/** @returns the least and the most units that the sequence cost. */
async function runSequence(index: number): Promise<void> {
  const draws = new Draws([SEED, index]);
  const ending = draws.kind(endings);
  const isPatient = ending === "halfClose";
  const sent = drawSequence(draws, isPatient ? patient : hasty);
  const { hostname, port } = new URL(server.url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    allowHalfOpen: true,
  });
  let text = "";
  let error: Error | undefined;
  socket.setEncoding("latin1").on("data", (part: string) => {
    text += part;
    if (ending === "resetAtData") socket.resetAndDestroy();
  });
  socket.on("error", (cause) => {
    error = cause;
  });
  const closed = Promise.race([once(socket, "end"), once(socket, "close")]).catch(() => undefined);
  const sending = (async () => {
    await once(socket, "connect");
    for (const one of sent) await send(socket, one.text, draws);
    if (isPatient) socket.end();
  })().catch(() => undefined);
  if (ending === "resetLater") await pause(draws.whole(0, 8));
  else await sending;
  if (ending === "destroy") socket.destroy();
  else if (ending.startsWith("reset") && ending !== "resetAtData") socket.resetAndDestroy();
  if (ending === "resetAtData") await Promise.race([closed, pause(50)]);
  else await closed;
  socket.destroy();
  try {
    check(text, sent, isPatient, error);
  } catch (cause) {
    const shown = JSON.stringify({ ending, sent, text: text.slice(-2000), error: error?.message });
    throw new Error(`sequence ${index} of seed ${SEED}: ${shown}`, { cause });
  }
}

let [unitsOfPatient, responsesInAll, cutOff] = [0, 0, 0];

function check(text: string, sent: readonly Sent[], isPatient: boolean, error?: Error): void {
  const last = sent.findIndex(({ isLast }) => isLast);
  const expected = last < 0 ? sent : sent.slice(0, last + 1);
  const { responses, rest } = receivedOf(text, expected);
  for (const { closes } of responses.slice(0, -1)) assert.ok(!closes, "a response behind the last");
  for (const [place, { status, body }] of responses.entries()) {
    const { statuses, contains, units = 0 } = expected[place] as Sent;
    responsesInAll += 1;
    if (status === 503) continue;
    assert.ok(statuses.includes(status), `response ${place} has status ${status}: ${body}`);
    if (contains !== undefined) assert.ok(body.includes(contains), `${contains}: ${body}`);
    if (isPatient) unitsOfPatient += units;
  }
  if (!isPatient) return;
  assert.equal(rest, "");
  // An expectation behind another request gets no interim response, and closes the connection.
  const isClosed = expected[responses.length - 1]?.expectsContinue && responses.at(-1)?.closes;
  if (isClosed) return;
  // The server may close on bytes behind a last request, which resets the connection.
  if (error !== undefined && last >= 0 && last < sent.length - 1) cutOff += expected.length;
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
