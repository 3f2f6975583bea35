import { Agent } from "node:http";
import { rowOf } from "../figures.ts";
import { statusOf } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { emailOf } from "../stores/fill.ts";
import { startFilledKurs } from "../stores/kurs.ts";

const WARM_UP_CALLS = 40;
const DIFFERENCE_MAX = 0.1;

const calls = [
  { name: "verification resend", path: "/v1/auth/verification/resend", status: 202, extra: {} },
  { name: "password reset", path: "/v1/auth/password-reset", status: 202, extra: {} },
  { name: "log-in", path: "/v1/auth/login", status: 401, extra: { password: "a wrong password" } },
  {
    name: "register, not invited",
    path: "/v1/auth/register",
    status: 403,
    extra: { password: "a fine passphrase" },
  },
  {
    name: "register, invalid invitation",
    path: "/v1/auth/register",
    status: 403,
    extra: { password: "a fine passphrase", invitation: "3f".repeat(32) },
  },
];

/** The mode in which a registration must not reveal whether the email has an account. */
const ENVIRONMENT = { REGISTRATION: "invite" };

export const enumeration: Scenario = {
  name: "enumeration",
  summary: "whether response times reveal that an account exists: they may differ by at most 10 %",
  async run(bench) {
    const callCount = bench.options.calls;
    const { server, counts } = await startFilledKurs(bench, "data", { environment: ENVIRONMENT });
    // One connection, so that calls do not wait for each other.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    bench.cleanup.defer(() => agent.destroy());
    const rows = [];
    for (const { name, path, status, extra } of calls) {
      const sumsMs = { known: 0, unknown: 0 };
      for (let index = -WARM_UP_CALLS; index < callCount; index += 1) {
        const account = (index + WARM_UP_CALLS) % counts.accounts;
        const emails = { known: emailOf(account), unknown: `unknown-${emailOf(account)}` };
        for (const kind of randomOrder()) {
          const body = { email: emails[kind], ...extra };
          const tookMs = await timeCall(agent, server.url + path, body, status);
          if (index >= 0) sumsMs[kind] += tookMs;
        }
      }
      const [knownMs, unknownMs] = [sumsMs.known / callCount, sumsMs.unknown / callCount];
      rows.push(rowOf(name, [{ knownMs, unknownMs, ratio: knownMs / unknownMs }]));
    }
    const failures = rows
      .filter(({ figures }) => Math.abs((figures.ratio ?? 0) - 1) > DIFFERENCE_MAX)
      .map(({ name }) => `${name}: response times differ by more than 10 %`);
    const title = `${callCount} calls of each kind, alternating on one connection: means`;
    return { tables: [{ title, rows }], failures };
  },
};

/** A random order, so that neither kind always follows the other. */
function randomOrder() {
  const order = ["known", "unknown"] as const;
  return Math.random() < 0.5 ? order : order.toReversed();
}

/** @returns the milliseconds from the start of a call to the end of its response. */
async function timeCall(agent: Agent, url: string, body: unknown, status: number): Promise<number> {
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": text.length };
  const startMs = performance.now();
  const got = await statusOf(url, { method: "POST", agent, headers }, text);
  if (got !== status) throw new Error(`${url}: want ${status}, got ${got}`);
  return performance.now() - startMs;
}
