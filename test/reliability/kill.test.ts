import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { type Client, clientOf, openConnection } from "../support/client.ts";
import { kurs, type Server, serve, temporaryDirectory } from "../support/process.ts";
import { checkAcknowledged } from "./audit.ts";
import { type Books, type Reader, seededRandom } from "./books.ts";

const SEED = 20_261_121;
const ROUNDS = 3;
const CONNECTIONS = 16;

const READERS = 4;

const ENVIRONMENT = { AUTH_LIMIT: "100000", LOG_LEVEL: "info" };

test("kill -9 under load loses nothing that was acknowledged and charges nothing twice", async (t) => {
  await using resources = new AsyncDisposableStack();
  const { path: dataDirectory } = resources.use(await temporaryDirectory());
  const start = async () => resources.use(await serve({ dataDirectory, env: ENVIRONMENT }));
  const random = seededRandom(SEED);
  let server = await start();
  const books = await openBooks(clientOf(server.url), dataDirectory);

  for (let round = 1; round <= ROUNDS; round += 1) {
    const answersToKill = 2000 + Math.floor(random() * 6000);
    await setQuotas(books, answersToKill, dataDirectory);
    const lostBefore = totalOf(books, "lost");
    await loadAndKill(server, books, `round-${round}`, answersToKill);
    assert.ok(totalOf(books, "lost") > lostBefore, "no read was in flight at the kill");

    server = await start();
    await checkBooks(clientOf(server.url), books, dataDirectory);
    checkDatabase(dataDirectory);
    t.diagnostic(
      `seed ${SEED}, round ${round}: killed after ${answersToKill} answers; ${sum(books)}`,
    );
  }
  assert.ok(books.keys.size > 0, "no key was made beside the reads");
});

/** Opens the accounts that read, each on a plan of its own with two keys. */
async function openBooks(client: Client, dataDirectory: string): Promise<Books> {
  const readers: Reader[] = [];
  for (let index = 0; index < READERS; index += 1) {
    const email = `reader-${index}@example.org`;
    const plan = `plan-${index}`;
    const session = await client.openSession(email);
    const keys = [await client.createKey(session), await client.createKey(session)];
    const apiKeys = keys.map(({ apiKey }) => apiKey);
    await kurs(["plans", "set", plan, "1000000"], { dataDirectory });
    await kurs(["accounts", "plan", email, plan], { dataDirectory });
    const counts = { answered: 0, lost: 0, wasRefused: false };
    readers.push({ email, plan, quota: 1_000_000, session, apiKeys, ...counts });
  }
  return { readers, accounts: [], sessions: [], keys: new Map() };
}

/** Gives two readers quotas that end in this round: one early, one about when the server dies. */
async function setQuotas(books: Books, answersToKill: number, dataDirectory: string) {
  const [, , late, early] = books.readers;
  const ends = [
    [late, Math.floor(answersToKill / READERS)],
    [early, 100],
  ] as const;
  for (const [reader, more] of ends) {
    if (reader === undefined) continue;
    reader.quota = reader.answered + reader.lost + more;
    reader.wasRefused = false;
    await kurs(["plans", "set", reader.plan, String(reader.quota)], { dataDirectory });
  }
}

/** Reads on all connections and writes beside them until the server is killed in the midst. */
async function loadAndKill(server: Server, books: Books, round: string, answersToKill: number) {
  let answers = 0;
  let killed = false;
  const countAnswer = () => {
    answers += 1;
    if (answers !== answersToKill) return;
    killed = true;
    server.program.signal("SIGKILL");
  };

  const read = async (turn: number) => {
    const reader = books.readers[turn % books.readers.length] as Reader;
    const apiKey = reader.apiKeys[Math.floor(turn / books.readers.length) % 2] ?? "";
    using connection = openConnection(server.url);
    while (true) {
      const answer = await connection.readRate("EUR/USD", apiKey).catch((error: unknown) => {
        if (!killed) throw error;
      });
      if (answer === undefined) {
        reader.lost += 1;
        return;
      }
      assert.ok(answer.status === 200 || answer.status === 429, answer.body);
      if (answer.status === 200) reader.answered += 1;
      else reader.wasRefused = true;
      countAnswer();
    }
  };
  const write = async (turn: number) => {
    try {
      for (let count = 0; ; count += 1) {
        await writeOnce(clientOf(server.url), books, `${round}-${turn}-${count}@example.org`);
      }
    } catch (error) {
      if (!killed) throw error;
    }
  };

  const readers = Array.from({ length: CONNECTIONS }, (_, turn) => read(turn));
  await Promise.all([...readers, write(1), write(2), write(3)]);
  await server.program.end();
}

/** One account, one session, two keys, one of them revoked; each entered once it is answered. */
async function writeOnce(client: Client, books: Books, email: string): Promise<void> {
  await client.register(email);
  books.accounts.push(email);
  const session = await client.logIn(email);
  books.sessions.push(session);
  for (const isRevoked of [true, false]) {
    const { id, apiKey } = await client.createKey(session);
    const entry = { id, session, revocation: "none" as "none" | "sent" | "acknowledged" };
    books.keys.set(apiKey, entry);
    if (!isRevoked) continue;
    entry.revocation = "sent";
    const { status } = await client.call("DELETE", `/v1/account/api-keys/${id}`, { session });
    assert.equal(status, 204);
    entry.revocation = "acknowledged";
  }
}

/** Holds what the server has after a crash against what it had acknowledged. */
async function checkBooks(client: Client, books: Books, dataDirectory: string): Promise<void> {
  const { stdout } = await kurs(["accounts", "list", "--json"], { dataDirectory });
  const stored = (JSON.parse(stdout) as { email: string }[]).map(({ email }) => email);
  await checkAcknowledged(client, books, stored);
}

/** Looks into the file itself: that it is whole, and that the two counts of units agree. */
function checkDatabase(dataDirectory: string): void {
  using database = new DatabaseSync(join(dataDirectory, "kurs.db"), { timeout: 5000 });
  assert.deepEqual(
    database
      .prepare("PRAGMA integrity_check")
      .all()
      .map((row) => row.integrity_check),
    ["ok"],
  );
  assert.deepEqual(database.prepare("PRAGMA foreign_key_check").all(), []);
  const disagreeing = database.prepare(`
    SELECT p.account_id, p.units, sum(d.units) AS daily FROM period_usage p
    LEFT JOIN daily_usage d ON d.account_id = p.account_id AND substr(d.day, 1, 7) = p.period
    GROUP BY p.account_id, p.period HAVING daily IS NOT p.units`);
  assert.deepEqual(disagreeing.all(), []);
}

function sum(books: Books): string {
  const { accounts, sessions, keys } = books;
  const kept = `${accounts.length} accounts, ${sessions.length} sessions, ${keys.size} keys`;
  return `${kept}, ${totalOf(books, "answered")} answers, ${totalOf(books, "lost")} in doubt`;
}

function totalOf(books: Books, what: "answered" | "lost"): number {
  return books.readers.reduce((sum, reader) => sum + reader[what], 0);
}
