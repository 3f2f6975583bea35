// Whether the time of an answer tells that an account exists: calls with known and with unknown
// addresses in turns, on one connection. Prints the means and fails when they differ by over 10 %.
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startKurs } from "./servers.ts";

const { values } = parseArgs({ options: { calls: { type: "string", default: "200" } } });
const callsEach = Number.parseInt(values.calls, 10);
const WARM_UP_CALLS = 40;
const ACCOUNTS = 40;
const DIFFERENCE_MAX = 0.1;

await using cleanup = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), "kurs-bench-"));
cleanup.defer(() => rm(directory, { recursive: true }));
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
cleanup.defer(() => agent.destroy());
const { url } = cleanup.use(await startKurs(join(directory, "data")));

/** @returns the milliseconds that one call took, from its first byte to the answer's last. */
async function timed(path: string, body: unknown, status: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": text.length };
  const startMs = performance.now();
  const sent = request(`${url}${path}`, { method: "POST", agent, headers }, (response) => {
    response.resume();
    response.on("end", () => {
      if (response.statusCode === status) resolve(performance.now() - startMs);
      else reject(new Error(`${path}: want ${status}, got ${response.statusCode}`));
    });
  });
  sent.on("error", reject);
  sent.end(text);
  return promise;
}

const known = Array.from({ length: ACCOUNTS }, (_, index) => `known-${index}@example.org`);
const password = "a bench password";
for (const email of known) await timed("/v1/auth/register", { email, password }, 201);

const scenarios = [
  { name: "verification resend", path: "/v1/auth/verification/resend", status: 202, extra: {} },
  { name: "password reset", path: "/v1/auth/password-reset", status: 202, extra: {} },
  { name: "log-in", path: "/v1/auth/login", status: 401, extra: { password: "a wrong password" } },
];

let differing = 0;
console.log(`${callsEach} calls each, in turns     known ms  unknown ms   ratio`);
for (const { name, path, status, extra } of scenarios) {
  const sumsMs = { known: 0, unknown: 0 };
  for (let turn = -WARM_UP_CALLS; turn < callsEach; turn += 1) {
    // Which comes first is drawn, so that neither has always the other's work behind it.
    const order =
      Math.random() < 0.5 ? (["known", "unknown"] as const) : (["unknown", "known"] as const);
    for (const kind of order) {
      const number = (turn + WARM_UP_CALLS) % ACCOUNTS;
      const email = `${kind}-${number}@example.org`;
      const tookMs = await timed(path, { email, ...extra }, status);
      if (turn >= 0) sumsMs[kind] += tookMs;
    }
  }
  const [knownMs, unknownMs] = [sumsMs.known / callsEach, sumsMs.unknown / callsEach];
  const ratio = knownMs / unknownMs;
  if (Math.abs(ratio - 1) > DIFFERENCE_MAX) differing += 1;
  const figures = [
    knownMs.toFixed(3).padStart(9),
    unknownMs.toFixed(3).padStart(11),
    ratio.toFixed(3).padStart(8),
  ];
  console.log(`${name.padEnd(28)}${figures.join("")}`);
}
console.log(`differing by over 10 %: ${differing}`);
process.exitCode = differing === 0 ? 0 : 1;
