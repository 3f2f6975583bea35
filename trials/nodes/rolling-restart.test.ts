import assert from "node:assert/strict";
import { test } from "node:test";
import { clientOf, openConnection } from "../../test/support/client.ts";
import { eventually } from "../../test/support/mails.ts";
import { DISAGREEING_UNITS, nth, startCluster } from "../../test/support/nodes.ts";
import { startBalancer } from "../support/balancer.ts";

const CONNECTIONS = 16;
const READS_BETWEEN = 300;

test("restarting nodes behind a load balancer one by one fails and loses no read", async (t) => {
  await using cluster = await startCluster();
  await using balancer = await startBalancer();
  const env = { SHUTDOWN_DELAY_SECONDS: "1", PLAN_FREE_UNITS: "1000000" };
  const nodes = await cluster.startNodes(2, env);
  for (const { url } of nodes) balancer.add(url);
  const untilReady = (url: string) => eventually("node", () => balancer.isReady(url) || undefined);
  for (const { url } of nodes) await untilReady(url);
  const client = clientOf(balancer.url);
  const { session, apiKey } = await client.newCustomer("ada@example.org");

  let isOn = true;
  let answered = 0;
  const read = async () => {
    using connection = openConnection(balancer.url);
    while (isOn) {
      const { status, text } = await connection.readRate("EUR/USD", apiKey);
      assert.equal(status, 200, `${text} ${balancer.failed.join()}`);
      answered += 1;
    }
  };
  const readers = Promise.all(Array.from({ length: CONNECTIONS }, read)).finally(() => {
    isOn = false;
  });
  // Their errors surface when they are awaited.
  readers.catch(() => undefined);
  const untilAnswered = (count: number) => {
    const wanted = answered + count;
    return eventually("reads", () => answered >= wanted || !isOn || undefined);
  };
  await untilAnswered(READS_BETWEEN);
  for (let restart = 0; restart < nodes.length; restart += 1) {
    const old = nth(nodes, restart);
    const { exitCode } = await old.stop();
    assert.equal(exitCode, 0);
    balancer.remove(old.url);
    const replacement = await cluster.startNode(env);
    nodes[restart % 2] = replacement;
    balancer.add(replacement.url);
    await untilReady(replacement.url);
    await untilAnswered(READS_BETWEEN);
  }
  isOn = false;
  await readers;

  t.diagnostic(`2 restarts, ${answered} reads, ${balancer.failed.length} failed`);
  assert.deepEqual(balancer.failed, []);
  assert.equal(await client.usedUnits(session), answered);
  assert.deepEqual(await cluster.query(DISAGREEING_UNITS), []);
});
