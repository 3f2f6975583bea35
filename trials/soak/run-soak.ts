import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { callOf, PATH, type Posted, requestOf } from "../../test/reads/mcp/messages.ts";
import { serve, temporaryDirectory } from "../../test/support/process.ts";
import { openWire } from "../../test/support/raw-connection.ts";
import { INSPECTED, type Memory, memoryOf } from "./memory.ts";

const CONNECTIONS = 32;

/** After this many requests a connection is replaced. */
const REQUESTS_A_CONNECTION = 250;

/** Earlier samples are of a program that is still compiling and filling its caches. */
const SETTLED_SAMPLE = 3;

/** A settled heap may vary by this much after a garbage collection. */
const HEAP_GROWTH_MIB_MAX = 6;

const RESIDENT_GROWTH_MAX = 1.25;

const SAMPLES = 10;

// Checks that memory stays flat over a million requests of all kinds, on connections that come and go:
// npm run trials -- soak --requests 1000000

const { values } = parseArgs({ options: { requests: { type: "string", default: "1000000" } } });
await soak(Number(values.requests));
console.log("memory is flat, and every unit was charged once");

/** @throws when memory grows, or when a response or a charge is wrong. */
async function soak(requests: number): Promise<void> {
  await using directory = await temporaryDirectory();
  const env = { PLAN_FREE_UNITS: "1000000000", ...INSPECTED };
  await using server = await serve({ dataDirectory: directory.path, env });
  const { session, apiKey } = await server.newCustomer("ada@example.org");
  const mix = mixOf(apiKey, session);
  let sent = 0;
  let units = 0;

  const readOn = async (until: number) => {
    while (sent < until) {
      using wire = await openWire(server.url);
      for (let count = 0; count < REQUESTS_A_CONNECTION && sent < until; count += 1) {
        const one = mix[sent % mix.length];
        sent += 1;
        if (one === undefined) throw new Error("no request to send");
        wire.send(one.text);
        const { status, text } = await wire.answer();
        assert.equal(status, one.status, text);
        units += one.units;
      }
    }
  };
  const memories: Memory[] = [];
  for (let sample = 1; sample <= SAMPLES; sample += 1) {
    const until = Math.round((requests * sample) / SAMPLES);
    await Promise.all(Array.from({ length: CONNECTIONS }, () => readOn(until)));
    const memory = await memoryOf(server.program);
    memories.push(memory);
    console.log(
      `${sent} requests: heap ${memory.heapMib.toFixed(1)} MiB, resident ${memory.residentMib.toFixed(0)} MiB`,
    );
  }
  assert.equal(await server.usedUnits(session), units);
  assertFlat(memories);
}

/** Compares the last quarter with the first settled sample. */
function assertFlat(memories: readonly Memory[]): void {
  const settled = memories[SETTLED_SAMPLE - 1];
  const last = memories.slice(-Math.max(1, Math.floor(memories.length / 4)));
  assert.ok(settled !== undefined);
  const heapMib = Math.min(...last.map((memory) => memory.heapMib)) - settled.heapMib;
  assert.ok(heapMib < HEAP_GROWTH_MIB_MAX, `the heap has grown by ${heapMib.toFixed(1)} MiB`);
  const resident = Math.min(...last.map((memory) => memory.residentMib)) / settled.residentMib;
  assert.ok(resident < RESIDENT_GROWTH_MAX, `memory has grown ${resident.toFixed(2)}-fold`);
}

interface One {
  readonly text: string;
  readonly status: number;
  readonly units: number;
}

function mixOf(apiKey: string, session: string): One[] {
  const get = (path: string, credential: string, status: number, units = 0): One => ({
    text: `GET ${path} HTTP/1.1\r\nHost: kurs\r\nAuthorization: ${credential}\r\n\r\n`,
    status,
    units,
  });
  const post = ({ headers, json }: Posted, units: number): One => {
    const body = JSON.stringify(json);
    const authorization = `ApiKey ${apiKey}`;
    const all = { host: "127.0.0.1", ...headers, authorization, "content-length": body.length };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return { text: `POST ${PATH} HTTP/1.1\r\n${lines.join("")}\r\n${body}`, status: 200, units };
  };
  const key = `ApiKey ${apiKey}`;
  const pair = { base: "EUR", quote: "USD" };
  const reads = Array.from({ length: 8 }, () => get("/v1/rates/EUR/USD", key, 200, 1));
  return [
    ...reads,
    get("/v1/rates/EUR/XXX", key, 404, 1),
    get("/v1/rates/E/USD", key, 400),
    get("/v1/rates/EUR/USD", `ApiKey svc_live_${"0".repeat(64)}`, 401),
    get("/v1/nothing", key, 404),
    get("/v1/account/usage", `Session ${session}`, 200),
    get("/v1/account/api-keys", `Session ${session}`, 200),
    post(callOf("2026", "get_rate", pair), 1),
    post(callOf("2025", "convert_currency", { ...pair, amount: "2" }), 1),
    post(requestOf("2025", "tools/list"), 0),
  ];
}
