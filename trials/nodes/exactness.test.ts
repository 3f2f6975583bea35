import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { seededRandom } from "../../harness/seeded-random.ts";
import { type Cluster, DISAGREEING_UNITS, nth, startCluster } from "../../test/support/nodes.ts";
import type { Server } from "../../test/support/process.ts";
import { openWire, type Wire } from "../../test/support/raw-connection.ts";
import { Counts } from "../support/counts.ts";
import { type AccountEntry, enterCharge, Ledger, openReader, today } from "../support/ledger.ts";
import { assertLedger } from "../support/ledger-audit.ts";

const NODES = 4;
const READERS_A_NODE = 12;
const READERS_A_CONNECTION = 4;
const SEED = 20_261_121;

/** 200 per account, enough to exhaust every quota except the largest. `MIXED_READS=100000` sends more. */
const MIXED_READS = Number(process.env.MIXED_READS ?? 20_000);

/** The quota of an account on the nodes' free plan. */
const QUOTA = 10_000;

suite("four nodes on one database", () => {
  // The tests have separate accounts and share the nodes, whose start takes long.
  let cluster: Cluster;
  let nodes: Server[];
  const ledger = new Ledger();
  before(async () => {
    cluster = await startCluster();
    nodes = await cluster.startNodes(NODES, { PLAN_FREE_UNITS: String(QUOTA) });
  });
  after(() => cluster[Symbol.asyncDispose]());

  test("serve exactly 10,000 of 20,000 reads for a quota of 10,000 units", async () => {
    const [quota, reads] = [QUOTA, 20_000];
    const customer = await nth(nodes, 0).newCustomer("ada@example.org");
    const { client, session } = customer;
    const ada = ledger.addReader(customer, { plan: "free", quotaUnits: quota });
    ledger.addKey(ada, await client.createKey(session));
    const statuses = new Counts();
    let left = reads;

    await byReaders(nodes, async (wire, index) => {
      const key = nth(ada.keys, Math.floor(index / NODES));
      while (left > 0) {
        left -= 1;
        const sentOn = today();
        const { status } = await wire.readRate("EUR/USD", key.apiKey);
        statuses.add(status);
        if (status === 200) enterCharge(key, sentOn);
      }
    });

    assert.deepEqual(statuses.all(), { 200: quota, 429: reads - quota });
    for (const node of nodes) assert.equal(await node.usedUnits(session), quota);
    await assertLedger(ledger, (sql) => cluster.query(sql), nodes);
    assert.deepEqual(await cluster.query(DISAGREEING_UNITS), []);
    assert.deepEqual(cluster.complaints(), []);
  });

  test("charge a hundred accounts with mixed quotas exactly for their charged responses", async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const customers: AccountEntry[] = [];
    for (let index = 0; index < 100; index += 1) {
      const [email, plan] = [`customer-${index}@example.org`, `plan-${index}`];
      const customer = { email, plan, quotaUnits: nth(QUOTAS, index) };
      const query = (sql: string) => cluster.query(sql);
      customers.push(await openReader(ledger, nth(nodes, index), customer, query));
    }
    await cluster.kurs("rates", "suspend", "EUR", "CHF");
    const statuses = new Counts();
    let left = MIXED_READS;

    await byReaders(nodes, async (wire, index) => {
      const random = seededRandom(SEED + index);
      while (left > 0) {
        left -= 1;
        const customer = nth(customers, Math.floor(random() * customers.length));
        const pair = nth(PAIRS, Math.floor(random() * PAIRS.length));
        const key = nth(customer.keys, Math.floor(random() * customer.keys.length));
        const sentOn = today();
        const { status, text } = await wire.readRate(pair, key.apiKey);
        statuses.add(status);
        if (status === 429) customer.wasRejected = true;
        if ([200, 404, 503].includes(status)) enterCharge(key, sentOn);
        // A charge in doubt is 503 as well: here only the suspended pair is.
        assert.ok(status !== 503 || pair === "EUR/CHF", text);
      }
    });

    await assertLedger(ledger, (sql) => cluster.query(sql));
    // Each kind of answer was there, or the test has not tried what it tells of.
    for (const status of [200, 400, 404, 429, 503]) assert.ok(statuses.of(status) > 100);
    assert.ok(customers.some((each) => ledger.quotaMax(each) > 0 && !each.wasRejected));
    assert.deepEqual(await cluster.query(DISAGREEING_UNITS), []);
    assert.deepEqual(cluster.complaints(), []);
    t.diagnostic(`responses by status: ${JSON.stringify(statuses.all())}`);
  });
});

/** Runs work concurrently for this many readers, spread evenly over the nodes. */
async function byReaders(
  nodes: readonly { readonly url: string }[],
  work: (wire: Wire, index: number) => Promise<void>,
): Promise<void> {
  const indexes = Array.from({ length: nodes.length * READERS_A_NODE }, (_, index) => index);
  using opened = new DisposableStack();
  const wires: Wire[] = [];
  for (const index of indexes.slice(0, indexes.length / READERS_A_CONNECTION)) {
    wires.push(opened.use(await openWire(nth(nodes, index).url)));
  }
  await Promise.all(indexes.map((index) => work(nth(wires, index), index)));
}

/** Most are served; the others are unsupported, suspended, and invalid. */
const PAIRS = ["EUR/USD", "EUR/USD", "EUR/GBP", "EUR/JPY", "EUR/XXX", "EUR/CHF", "E/USD"];

/** Quotas in turn: none, one, some that are used up, and more than the test reads. */
const QUOTAS = [0, 1, 20, 100, 1_000_000];
