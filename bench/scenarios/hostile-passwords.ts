import { hash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { marks } from "../../harness/long-texts.ts";
import { FILE_NAME } from "../../src/platform/storage/sqlite/database-file.ts";
import { type Figures, medianOf, rowOf } from "../figures.ts";
import { filled, filledRequest, restRead, SESSION_TOKEN, statusOf } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { emailOf } from "../stores/fill.ts";
import { startFilledKurs } from "../stores/kurs.ts";

/** The calls for ten emails that the auth limiter admits from one address. */
const CLIENTS = 10;
const CALLS = 20;

/** How many times longer than with letters another client may wait. */
const RATIO_MAX = 1.5;

/** In a body of 16 KiB, and in the longest password that is normalized. */
const passwords = [
  ["letters", "a".repeat(15_800)],
  ["marks", marks(7_900)],
  ["1,024 marks", marks(1_024)],
] as const;

const tokenOf = (client: number) => hash("sha256", `reset of ${client}`);

interface Call {
  readonly name: string;
  readonly method: "POST" | "DELETE";
  readonly path: string;
  /** The body without the password. */
  readonly bodyOf: (client: number) => object;
  readonly status: number;
}

/** Each is rejected, so that it can be repeated. */
const calls: readonly Call[] = [
  {
    name: "log-ins",
    method: "POST",
    path: "/v1/auth/login",
    bodyOf: (client) => ({ email: emailOf(client) }),
    status: 401,
  },
  {
    name: "registrations",
    method: "POST",
    path: "/v1/auth/register",
    bodyOf: (client) => ({ email: `new-${emailOf(client)}` }),
    status: 400,
  },
  {
    name: "resets",
    method: "POST",
    path: "/v1/auth/password-reset/confirm",
    bodyOf: (client) => ({ token: tokenOf(client) }),
    status: 400,
  },
  { name: "deletions", method: "DELETE", path: "/v1/account", bodyOf: () => ({}), status: 401 },
];

export const hostilePasswords: Scenario = {
  name: "hostile-passwords",
  summary: `the longest wait of another client during ${CLIENTS} x ${CALLS} calls with slow passwords`,
  async run(bench) {
    const { server, dataDirectory } = await startFilledKurs(bench, "data");
    storeResetTokens(dataDirectory);
    const measured = new Map<string, Figures[]>();
    for (let round = 0; round < bench.options.rounds; round += 1) {
      for (const call of calls) {
        for (const [what, password] of round % 2 === 0 ? passwords : passwords.toReversed()) {
          const worstMs = await longestWait(server.url, call, password);
          const row = `${call.name}, ${what}`;
          bench.print(`round ${round + 1}, ${row}: ${worstMs.toFixed(0)} ms`);
          measured.set(row, [...(measured.get(row) ?? []), { worstMs }]);
        }
      }
    }
    const medianOfRow = (row: string) =>
      medianOf((measured.get(row) ?? []).map(({ worstMs = 0 }) => worstMs));
    const rows = [...measured].map(([name, rounds]) => {
      const [call = ""] = name.split(",");
      const ratio = medianOfRow(name) / medianOfRow(`${call}, letters`);
      return rowOf(
        name,
        rounds.map((round) => ({ ...round, ratio })),
      );
    });
    const failures = rows
      .filter(({ figures }) => (figures.ratio ?? 0) > RATIO_MAX)
      .map(({ name }) => `${name}: others wait over ${RATIO_MAX} times as long as with letters`);
    const title = "the longest wait of a client that reads rates; ratios of the rounds' medians";
    return { tables: [{ title, rows }], failures };
  },
};

/** Stores a token to reset the password of each client's account. */
function storeResetTokens(dataDirectory: string): void {
  using database = new DatabaseSync(join(dataDirectory, FILE_NAME), { timeout: 5000 });
  const insert = database.prepare(`
    INSERT INTO mail_tokens (token_hash, account_id, purpose, expires_at)
    SELECT ?, id, 'password_reset', '2999' FROM accounts WHERE email = ?`);
  for (let client = 0; client < CLIENTS; client += 1) {
    insert.run(hash("sha256", tokenOf(client)), emailOf(client));
  }
}

/** @returns how long another client waited at most, in milliseconds, while the calls were served. */
async function longestWait(url: string, call: Call, password: string): Promise<number> {
  let isServed = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const body = JSON.stringify({ ...call.bodyOf(client), password });
    const headers = {
      authorization: `Session ${filled(SESSION_TOKEN, { account: client, pair: 0 })}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    for (let sent = 0; sent < CALLS; sent += 1) {
      const status = await statusOf(url + call.path, { method: call.method, headers }, body);
      if (status !== call.status) throw new Error(`${call.name}: got ${status}`);
    }
  });
  const served = Promise.all(clients).finally(() => {
    isServed = true;
  });
  // A failed call is reported at the end, not as an unhandled rejection.
  served.catch(() => {});
  const { path, headers } = filledRequest(restRead, { account: 0, pair: 0 });
  let longestMs = 0;
  while (!isServed) {
    const startMs = performance.now();
    // A read that was rejected for load waits on.
    while ((await statusOf(url + path, { headers })) !== 200);
    longestMs = Math.max(longestMs, performance.now() - startMs);
  }
  await served;
  return longestMs;
}
