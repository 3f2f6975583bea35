import { Agent, request } from "node:http";
import { rowOf } from "../figures.ts";
import type { Scenario } from "../scenario.ts";
import { emailOf } from "../stores/fill.ts";
import { startFilledKurs } from "../stores/kurs.ts";

const WARM_UP_CALLS = 40;
const DIFFERENCE_MAX = 0.1;

const ways = [
  { name: "verification resend", path: "/v1/auth/verification/resend", status: 202, extra: {} },
  { name: "password reset", path: "/v1/auth/password-reset", status: 202, extra: {} },
  { name: "log-in", path: "/v1/auth/login", status: 401, extra: { password: "a wrong password" } },
];

export const enumeration: Scenario = {
  name: "enumeration",
  summary: "whether the time of an answer tells that an account exists: it must not by over 10 %",
  async run(bench) {
    const { calls } = bench.options;
    const { server, counts } = await startFilledKurs(bench, "data");
    // One connection, so that no call waits for another.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    bench.cleanup.defer(() => agent.destroy());
    const rows = [];
    for (const { name, path, status, extra } of ways) {
      const sumsMs = { known: 0, unknown: 0 };
      for (let turn = -WARM_UP_CALLS; turn < calls; turn += 1) {
        const account = (turn + WARM_UP_CALLS) % counts.accounts;
        const emails = { known: emailOf(account), unknown: `unknown-${emailOf(account)}` };
        for (const kind of drawnOrder()) {
          const body = { email: emails[kind], ...extra };
          const tookMs = await timed(agent, server.url + path, body, status);
          if (turn >= 0) sumsMs[kind] += tookMs;
        }
      }
      const [knownMs, unknownMs] = [sumsMs.known / calls, sumsMs.unknown / calls];
      rows.push(rowOf(name, [{ knownMs, unknownMs, ratio: knownMs / unknownMs }]));
    }
    const failures = rows
      .filter(({ figures }) => Math.abs((figures.ratio ?? 0) - 1) > DIFFERENCE_MAX)
      .map(({ name }) => `${name}: the times differ by over 10 %`);
    const title = `${calls} calls each, in turns on one connection, means`;
    return { tables: [{ title, rows, notes: [] }], failures };
  },
};

/** Which comes first is drawn, so that neither has always the other's work behind it. */
function drawnOrder() {
  const order = ["known", "unknown"] as const;
  return Math.random() < 0.5 ? order : order.toReversed();
}

/** @returns the milliseconds that one call took, from its first byte to the answer's last. */
async function timed(agent: Agent, url: string, body: unknown, status: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": text.length };
  const startMs = performance.now();
  const sent = request(url, { method: "POST", agent, headers }, (response) => {
    response.resume();
    response.on("end", () => {
      if (response.statusCode === status) resolve(performance.now() - startMs);
      else reject(new Error(`${url}: want ${status}, got ${response.statusCode}`));
    });
  });
  sent.on("error", reject);
  sent.end(text);
  return promise;
}
