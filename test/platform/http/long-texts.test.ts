import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { getCallSites } from "node:util";
import { runInNewContext } from "node:vm";
import { bytesOf, longTexts } from "../../../harness/long-texts.ts";
import { traceIdIn } from "../../../src/platform/log/trace-context.ts";
import { openWire } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";

const config = { authCallsPerWindow: 1_000, trustedProxies: ["loopback"], metricsPort: 0 };
const service = await startSharedService({ config });
const customer = await service.newCustomer("ada@example.org");

/** Shorter texts cost next to nothing, however they are read. */
const LONG = 257;

const HEAD = 16_384;
const BODY = 16_384;
const MESSAGE = 65_536;

/** The files of src that read longer texts of clients, and the most characters that they read. */
const readers: Readonly<Record<string, number>> = {
  "customers/api-keys/api-keys.ts": HEAD,
  "customers/api-keys/http.ts": BODY,
  "customers/api-keys/rules.ts": HEAD,
  "platform/audit/http.ts": HEAD,
  "rates/coverage/http.ts": HEAD,
  "platform/http/accept.ts": 1_024,
  "platform/http/authentication.ts": HEAD,
  "platform/http/challenge.ts": HEAD,
  "platform/http/client-address.ts": HEAD,
  "platform/http/fast-path/plain-request.ts": 8_192,
  "platform/http/request-target.ts": HEAD,
  // An escape that cannot be decoded is escaped: three characters for one.
  "platform/http/unmatched.ts": 3 * HEAD,
  "platform/log/trace-context.ts": HEAD,
  "customers/mailed-links/rules.ts": BODY,
  "reads/mcp/endpoint.ts": MESSAGE,
  "reads/mcp/origin-check.ts": 512,
  "reads/mcp/sdk.ts": MESSAGE,
  "reads/mcp/short-call.ts": 1_024,
  "operations/metrics/scrape-server.ts": HEAD,
  "platform/pages/guide.ts": HEAD,
  "platform/pages/not-found.ts": 3 * HEAD,
  "customers/passwords/rules.ts": 1_024,
  "rates/served/rules/symbol.ts": MESSAGE,
  "customers/sessions/rules.ts": HEAD,
  "customers/sessions/sessions.ts": HEAD,
  "platform/shared/text/email.ts": BODY,
  "platform/shared/text/whole-number.ts": HEAD,
  "platform/shared/uuid.ts": HEAD,
};

const methods = [
  [String.prototype, ["normalize", "split", "trim", "toLowerCase", "toUpperCase"]],
  [String.prototype, ["match", "matchAll", "replace", "replaceAll"]],
  [RegExp.prototype, ["exec", "test"]],
  [JSON, ["parse"]],
  [URL, ["parse"]],
  [globalThis, ["decodeURIComponent"]],
] as const;

const SRC = join(import.meta.dirname, "../../../src/");

/** The longest text that each file of src has read by one of these methods, in characters. */
function watchReaders(): ReadonlyMap<string, number> {
  const longest = new Map<string, number>();
  for (const [owner, names] of methods) {
    for (const name of names) {
      const read = Reflect.get(owner, name) as (...given: unknown[]) => unknown;
      const value = function (this: unknown, ...given: unknown[]): unknown {
        const [text] = typeof this === "string" ? [this] : given;
        if (typeof text === "string" && text.length >= LONG) {
          const [, file] = getCallSites(2)[1]?.scriptName.split(SRC) ?? [];
          // The long texts of the store are its own statements and headers.
          if (file !== undefined && !/^platform\/storage\/|^rates\/served\/headers/.test(file)) {
            longest.set(file, Math.max(text.length, longest.get(file) ?? 0));
          }
        }
        return Reflect.apply(read, this, given);
      };
      Object.defineProperty(owner, name, { value });
    }
  }
  return longest;
}

async function statusOf(bytes: string, url = service.url): Promise<number> {
  using wire = await openWire(url);
  wire.send(bytes);
  await wire.untilAnswer();
  return Number(wire.received().slice(9, 12));
}

test("long texts: every file that reads a client's text reads no more than its bound", async () => {
  const longest = watchReaders();

  const statuses = new Map<string, readonly number[]>();
  for (const row of longTexts) {
    const text = row.slowest(row.bound);
    const beyond = text.slice(0, 40) + "a".repeat(8_000) + text.slice(40);
    const within = await statusOf(bytesOf(row, text, customer));
    statuses.set(row.place, [within, await statusOf(bytesOf(row, beyond, customer))]);
  }
  const scrape = bytesOf({ request: "GET /metrics?§" }, "?".repeat(15_000), customer);
  assert.equal(await statusOf(scrape, service.metricsUrl), 200);

  const over = [...longest].filter(([file, length]) => length > (readers[file] ?? 0));
  assert.deepEqual(over, []);
  assert.deepEqual(statuses, new Map(longTexts.map(({ place, statuses }) => [place, statuses])));
  assert.deepEqual([...longest.keys()].sort(), Object.keys(readers).sort());
});

test("long texts: a traceparent is read in one pass, however many spaces it has", () => {
  const head = `GET / HTTP/1.1\r\ntraceparent:${" ".repeat(1_000_000)}\xe9\r\n\r\n`;
  const read = () => traceIdIn(head);

  // A pass for each space would take a quarter of an hour.
  assert.equal(runInNewContext("read()", { read }, { timeout: 120_000 }), undefined);
});

test("long texts: the table in docs/security.md has every place with its bound", () => {
  const rows = readFileSync(join(SRC, "../docs/security.md"), "utf8").split("\n");
  for (const { place, limit } of longTexts) {
    const row = `| ${place} | ${limit.toLocaleString("en")} |`;
    assert.ok(
      rows.some((line) => line.startsWith(row)),
      row,
    );
  }
});
