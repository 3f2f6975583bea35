import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { seededRandom } from "../../harness/seeded-random.ts";
import { openPostgresStore, type Store } from "../../src/store.ts";
import { KEY_LIMITS, newAccount, newKey, newMailToken } from "../contract/suite/database.ts";
import { type Cluster, DISAGREEING_UNITS, nth, startCluster } from "../support/nodes.ts";
import { hostsOf } from "../support/postgres-databases.ts";
import type { Server } from "../support/process.ts";
import { openReader, type Reader } from "../support/reader.ts";

/** For people: `node test/nodes/mixed-quotas.ts --reads 100000`, which takes about half a minute. */
const READS_USUAL = 100_000;

export const NODES = 4;
const READERS_A_NODE = 12;
const READERS_A_CONNECTION = 4;
export const SEED = 20_261_121;

/** Runs work once by each of so many readers, spread evenly over the nodes. */
export async function byReaders(
  nodes: readonly { readonly url: string }[],
  work: (reader: Reader, turn: number) => Promise<void>,
): Promise<void> {
  const turns = Array.from({ length: nodes.length * READERS_A_NODE }, (_, turn) => turn);
  using opened = new DisposableStack();
  const connections = Array.from({ length: turns.length / READERS_A_CONNECTION }, (_, turn) =>
    opened.use(openReader(nth(nodes, turn).url)),
  );
  await Promise.all(turns.map((turn) => work(nth(connections, turn), turn)));
}

/** Counts by a key, beginning at none. */
export class Counts {
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

/**
 * Reads with a hundred new accounts on the nodes of a cluster, and holds what each was charged
 * against what it was answered. It suspends EUR/CHF.
 *
 * @returns the number of answers by status.
 */
export async function runMixedQuotas(
  reads: number,
  cluster: Cluster,
  nodes: readonly Server[],
): Promise<Readonly<Record<string, number>>> {
  const customers = await openCustomers(cluster, 100);
  await cluster.kurs("rates", "suspend", "EUR", "CHF");
  const statuses = new Counts();
  let left = reads;

  await byReaders(nodes, async (reader, turn) => {
    const random = seededRandom(SEED + turn);
    while (left > 0) {
      left -= 1;
      const customer = nth(customers, Math.floor(random() * customers.length));
      const pair = nth(PAIRS, Math.floor(random() * PAIRS.length));
      const apiKey = nth(customer.apiKeys, Math.floor(random() * customer.apiKeys.length));
      const { status, body } = await reader.readRate(pair, apiKey);
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
  return statuses.all();
}

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

if (import.meta.main) {
  const { values } = parseArgs({ options: { reads: { type: "string" } } });
  await using cluster = await startCluster();
  const nodes = await cluster.startNodes(NODES);
  console.log(await runMixedQuotas(Number(values.reads ?? READS_USUAL), cluster, nodes));
}
