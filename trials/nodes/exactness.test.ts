import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Cluster, DISAGREEING_UNITS, nth, startCluster } from "../../test/support/nodes.ts";
import type { Server } from "../../test/support/process.ts";
import { Counts } from "../support/counts.ts";
import { enterCharge, Ledger, today } from "../support/ledger.ts";
import { assertLedger } from "../support/ledger-audit.ts";
import { byReaders, NODES, runMixedQuotas, SEED } from "./mixed-quotas.ts";

/** 200 per account: enough to exhaust every quota except the largest. */
const READS = 20_000;

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
    const statuses = await runMixedQuotas(READS, cluster, nodes, ledger);
    t.diagnostic(`responses by status: ${JSON.stringify(statuses)}`);
  });
});
