import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { openPostgresStore } from "../../src/adapters/storage/postgres/open.ts";
import type { Store } from "../../src/application/ports.ts";
import { KEY_LIMITS, newAccount, newKey, newMailToken } from "../contract/suite/database.ts";
import { seededRandom } from "../reliability/books.ts";
import { type Connection, clientOf, openConnection } from "../support/client.ts";
import { type Cluster, DISAGREEING_UNITS, nth, startCluster } from "../support/nodes.ts";
import { hostsOf } from "../support/postgres-databases.ts";

const NODES = 4;
const CONNECTIONS_A_NODE = 12;
const SEED = 20_261_121;

/** Runs work once on each of so many connections, spread evenly over the nodes. */
async function onConnections(
  nodes: readonly { readonly url: string }[],
  work: (connection: Connection, turn: number) => Promise<void>,
): Promise<void> {
  const turns = Array.from({ length: nodes.length * CONNECTIONS_A_NODE }, (_, turn) => turn);
  await Promise.all(
    turns.map(async (turn) => {
      using connection = openConnection(nth(nodes, turn).url);
      await work(connection, turn);
    }),
  );
}

/** Counts by a key, beginning at none. */
class Counts {
  readonly #counts = new Map<string, number>();

  add(key: string | number): void {
    this.#counts.set(String(key), this.of(key) + 1);
  }

  of(key: string | number): number {
    return this.#counts.get(String(key)) ?? 0;
  }

  all(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort());
  }
}

suite("four nodes on one database", () => {
  test("an allowance of 10,000 gives exactly 10,000 of 20,000 reads spread over the nodes", async () => {
    const [quota, reads] = [10_000, 20_000];
    await using cluster = await startCluster();
    const nodes = await cluster.startNodes(NODES, { PLAN_FREE_UNITS: String(quota) });
    const client = clientOf(nth(nodes, 0).url);
    const session = await client.openSession("ada@example.org");
    const keys = [await client.createKey(session), await client.createKey(session)];
    const statuses = new Counts();
    const granted = new Counts();
    let left = reads;

    await onConnections(nodes, async (connection, turn) => {
      const { apiKey, id } = nth(keys, Math.floor(turn / NODES));
      while (left > 0) {
        left -= 1;
        const { status } = await connection.readRate("EUR/USD", apiKey);
        statuses.add(status);
        if (status === 200) granted.add(id);
      }
    });

    assert.deepEqual(statuses.all(), { 200: quota, 429: reads - quota });
    for (const { url } of nodes) assert.equal(await clientOf(url).usedUnits(session), quota);
    const days = await cluster.query("SELECT api_key_id, units FROM daily_usage");
    for (const { id } of keys) {
      const ofKey = days.filter(({ api_key_id }) => api_key_id === id);
      const units = ofKey.reduce((sum, day) => sum + Number(day.units), 0);
      assert.equal(units, granted.of(id), `key ${id}`);
    }
    assert.deepEqual(await cluster.query(DISAGREEING_UNITS), []);
    assert.deepEqual(cluster.complaints(), []);
  });

  test("a hundred accounts with mixed quotas are charged for what they were answered, and no more", async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const loadMs = 30_000;
    await using cluster = await startCluster();
    const nodes = await cluster.startNodes(NODES);
    const customers = await openCustomers(cluster, 100);
    await cluster.kurs("rates", "suspend", "EUR", "CHF");
    const statuses = new Counts();
    const endMs = performance.now() + loadMs;

    await onConnections(nodes, async (connection, turn) => {
      const random = seededRandom(SEED + turn);
      while (performance.now() < endMs) {
        const customer = nth(customers, Math.floor(random() * customers.length));
        const pair = nth(PAIRS, Math.floor(random() * PAIRS.length));
        const apiKey = nth(customer.apiKeys, Math.floor(random() * customer.apiKeys.length));
        const { status, body } = await connection.readRate(pair, apiKey);
        statuses.add(status);
        customer.answers.add(status);
        // A charge in doubt answers 503 as well: here there is none, but for the suspended pair.
        assert.ok(status !== 503 || pair === "EUR/CHF", body);
      }
    });

    const usedUnits = new Map(
      (await cluster.query("SELECT account_id, units FROM period_usage")).map(
        ({ account_id, units }) => [account_id, Number(units)],
      ),
    );
    for (const { accountId, quota, answers } of customers) {
      const charged = answers.of(200) + answers.of(404) + answers.of(503);
      const told = JSON.stringify({ quota, charged, answers: answers.all() });
      assert.equal(usedUnits.get(accountId) ?? 0, charged, told);
      assert.ok(charged <= quota, told);
      if (answers.of(429) > 0) assert.equal(charged, quota, told);
    }
    // Each kind of answer was there, or the test has not tried what it tells of.
    for (const status of [200, 400, 404, 429, 503]) assert.ok(statuses.of(status) > 100);
    assert.ok(customers.some(({ quota, answers }) => quota > 0 && answers.of(429) === 0));
    assert.deepEqual(await cluster.query(DISAGREEING_UNITS), []);
    assert.deepEqual(cluster.complaints(), []);
    t.diagnostic(`answers by status: ${JSON.stringify(statuses.all())}`);
  });
});

/** Most are served; the others are unsupported, suspended, and no symbol at all. */
const PAIRS = ["EUR/USD", "EUR/USD", "EUR/GBP", "EUR/JPY", "EUR/XXX", "EUR/CHF", "E/USD"];

/** Units of a period by turns: none, one, some that end in the test, and more than it can spend. */
const QUOTAS = [0, 1, 20, 100, 1_000_000];
const KEYS_AN_ACCOUNT = 3;

/** Opens accounts by production's own store: a hundred passwords would take longer than the test. */
async function openCustomers(cluster: Cluster, count: number) {
  await using store = await openPostgresStore(hostsOf(cluster.url), {
    connectionsMax: 2,
    statementTimeoutMs: 0,
  });
  const opened = [];
  for (let turn = 0; turn < count; turn += 1) {
    opened.push(await openCustomer(store, nth(QUOTAS, turn)));
  }
  return opened;
}

async function openCustomer(store: Store, quota: number) {
  const plan = `units-${quota}`;
  await store.setPlan({ name: plan, unitsPerPeriod: quota });
  const account = newAccount({ plan });
  await store.createAccount(account, newMailToken());
  const apiKeys: string[] = [];
  for (let turn = 0; turn < KEYS_AN_ACCOUNT; turn += 1) {
    const apiKey = `svc_live_${randomBytes(32).toString("hex")}`;
    apiKeys.push(apiKey);
    await store.createApiKey(newKey(account.id, { keyHash: hash("sha256", apiKey) }), KEY_LIMITS);
  }
  return { accountId: account.id, quota, apiKeys, answers: new Counts() };
}
