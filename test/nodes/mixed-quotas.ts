import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { openPostgresStore, type Store } from "../../src/store.ts";
import { KEY_LIMITS, newAccount, newKey, newMailToken } from "../contract/suite/database.ts";
import { seededRandom } from "../faults/ledger.ts";
import { type Cluster, DISAGREEING_UNITS, nth, startCluster } from "../support/nodes.ts";
import { hostsOf } from "../support/postgres-databases.ts";
import type { Server } from "../support/process.ts";
import { openReader, type Reader } from "../support/reader.ts";

/** For `node test/nodes/mixed-quotas.ts --reads 100000`, which takes about 30 seconds. */
const READS_USUAL = 100_000;

export const NODES = 4;
const READERS_A_NODE = 12;
const READERS_A_CONNECTION = 4;
export const SEED = 20_261_121;

/** Runs work concurrently for this many readers, spread evenly over the nodes. */
export async function byReaders(
  nodes: readonly { readonly url: string }[],
  work: (reader: Reader, index: number) => Promise<void>,
): Promise<void> {
  const indexes = Array.from({ length: nodes.length * READERS_A_NODE }, (_, index) => index);
  using opened = new DisposableStack();
  const connections = Array.from({ length: indexes.length / READERS_A_CONNECTION }, (_, index) =>
    opened.use(openReader(nth(nodes, index).url)),
  );
  await Promise.all(indexes.map((index) => work(nth(connections, index), index)));
}

/** Counts by key, starting at 0. */
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
 * Reads with a hundred new accounts on the nodes of a cluster, and compares each account's charges
 * with its responses. It suspends EUR/CHF.
 *
 * @returns the number of responses by status.
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

  await byReaders(nodes, async (reader, index) => {
    const random = seededRandom(SEED + index);
    while (left > 0) {
      left -= 1;
      const customer = nth(customers, Math.floor(random() * customers.length));
      const pair = nth(PAIRS, Math.floor(random() * PAIRS.length));
      const apiKey = nth(customer.apiKeys, Math.floor(random() * customer.apiKeys.length));
      const { status, body } = await reader.readRate(pair, apiKey);
      statuses.add(status);
      customer.answers.add(status);
      // A charge in doubt is 503 as well: here only the suspended pair is.
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
    const summary = JSON.stringify({ quota, charged, answers: answers.all() });
    assert.equal(usedUnits.get(accountId) ?? 0, charged, summary);
    assert.ok(charged <= quota, summary);
    if (answers.of(429) > 0) assert.equal(charged, quota, summary);
  }
  // Every kind of response must have occurred; otherwise the test has not tried it.
  for (const status of [200, 400, 404, 429, 503]) assert.ok(statuses.of(status) > 100);
  assert.ok(customers.some(({ quota, answers }) => quota > 0 && answers.of(429) === 0));
  assert.deepEqual(await cluster.query(DISAGREEING_UNITS), []);
  assert.deepEqual(cluster.complaints(), []);
  return statuses.all();
}

/** Most are served; the others are unsupported, suspended, and invalid. */
const PAIRS = ["EUR/USD", "EUR/USD", "EUR/GBP", "EUR/JPY", "EUR/XXX", "EUR/CHF", "E/USD"];

/** Quotas in turn: none, one, some that are used up, and more than the test reads. */
const QUOTAS = [0, 1, 20, 100, 1_000_000];
const KEYS_AN_ACCOUNT = 3;

/** Creates accounts in the store: hashing a hundred passwords would take too long. */
async function openCustomers(cluster: Cluster, count: number) {
  await using store = await openPostgresStore(hostsOf(cluster.url), {
    connectionsMax: 2,
    statementTimeoutMs: 0,
  });
  const opened = [];
  for (let index = 0; index < count; index += 1) {
    opened.push(await openCustomer(store, nth(QUOTAS, index)));
  }
  return opened;
}

async function openCustomer(store: Store, quota: number) {
  const plan = `units-${quota}`;
  await store.setPlan({ name: plan, unitsPerPeriod: quota });
  const account = newAccount({ plan });
  await store.createAccount(account, newMailToken());
  const apiKeys: string[] = [];
  for (let index = 0; index < KEYS_AN_ACCOUNT; index += 1) {
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
