import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { clientOf } from "../support/client.ts";
import { type Cluster, DISAGREEING_UNITS, nth, startCluster } from "../support/nodes.ts";
import type { Server } from "../support/process.ts";
import { byReaders, Counts, NODES, runMixedQuotas, SEED } from "./mixed-quotas.ts";

/** 200 per account: enough to exhaust every quota except the largest. */
const READS = 20_000;

/** The quota of an account on the nodes' free plan. */
const QUOTA = 10_000;

suite("four nodes on one database", () => {
  // The tests have separate accounts and share the nodes, whose start takes long.
  let cluster: Cluster;
  let nodes: Server[];
  before(async () => {
    cluster = await startCluster();
    nodes = await cluster.startNodes(NODES, { PLAN_FREE_UNITS: String(QUOTA) });
  });
  after(() => cluster[Symbol.asyncDispose]());

  test("serve exactly 10,000 of 20,000 reads for a quota of 10,000 units", async () => {
    const [quota, reads] = [QUOTA, 20_000];
    const client = clientOf(nth(nodes, 0).url);
    const session = await client.openSession("ada@example.org");
    const keys = [await client.createKey(session), await client.createKey(session)];
    const statuses = new Counts();
    const granted = new Counts();
    let left = reads;

    await byReaders(nodes, async (reader, index) => {
      const { apiKey, id } = nth(keys, Math.floor(index / NODES));
      while (left > 0) {
        left -= 1;
        const { status } = await reader.readRate("EUR/USD", apiKey);
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

  test("charge a hundred accounts with mixed quotas exactly for their charged responses", async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const statuses = await runMixedQuotas(READS, cluster, nodes);
    t.diagnostic(`responses by status: ${JSON.stringify(statuses)}`);
  });
});
