import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../../harness/seeded-random.ts";
import { DISAGREEING_UNITS, nth, startCluster } from "../../test/support/nodes.ts";
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

/** Most are served; the others are unsupported, suspended, and invalid. */
const PAIRS = ["EUR/USD", "EUR/USD", "EUR/GBP", "EUR/JPY", "EUR/XXX", "EUR/CHF", "E/USD"];

/** Quotas in turn: none, one, some that are used up, and more than the test reads. */
const QUOTAS = [0, 1, 20, 100, 1_000_000];

test("four nodes charge a hundred accounts with mixed quotas exactly for their charged responses", async (t) => {
  t.diagnostic(`seed ${SEED}`);
  await using cluster = await startCluster();
  const nodes = await cluster.startNodes(NODES);
  const ledger = new Ledger();
  const query = (sql: string) => cluster.query(sql);
  const customers: AccountEntry[] = [];
  for (let index = 0; index < 100; index += 1) {
    const [email, plan] = [`customer-${index}@example.org`, `plan-${index}`];
    const customer = { email, plan, quotaUnits: nth(QUOTAS, index) };
    customers.push(await openReader(ledger, nth(nodes, index), customer, query));
  }
  await cluster.kurs("rates", "suspend", "EUR", "CHF");
  const statuses = new Counts();
  let left = MIXED_READS;
  const readOn = async (wire: Wire, reader: number) => {
    const random = seededRandom(SEED + reader);
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
  };

  using opened = new DisposableStack();
  const wires: Wire[] = [];
  const readers = Array.from({ length: NODES * READERS_A_NODE }, (_, index) => index);
  for (const index of readers.slice(0, readers.length / READERS_A_CONNECTION)) {
    wires.push(opened.use(await openWire(nth(nodes, index).url)));
  }
  await Promise.all(readers.map((index) => readOn(nth(wires, index), index)));

  await assertLedger(ledger, query, nodes);
  // Each kind of answer was there, or the test has not tried what it tells of.
  for (const status of [200, 400, 404, 429, 503]) assert.ok(statuses.of(status) > 100);
  assert.ok(customers.some((each) => ledger.quotaMax(each) > 0 && !each.wasRejected));
  assert.deepEqual(await cluster.query(DISAGREEING_UNITS), []);
  assert.deepEqual(cluster.complaints(), []);
  t.diagnostic(`responses by status: ${JSON.stringify(statuses.all())}`);
});
