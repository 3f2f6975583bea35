import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { type Client, clientOf, openConnection } from "../support/client.ts";
import { administer, startPostgres } from "../support/postgres.ts";
import type { Server } from "../support/process.ts";
import { seededRandom } from "./books.ts";
import { checkNode, checkSums, startNode } from "./load.ts";

// For people: a hundred accounts on four nodes of one database, which do all that customers and
// operators do at once; at the end the books must agree.
// node test/reliability/run-torture.ts --minutes 10 --seed 1

const NODES = 4;
const ACCOUNTS = 100;
const HANDS = 24;
/** Below the service's own limit, which hands at once must not run into. */
const KEYS_MAX = 50;
const PLANS = new Map([
  ["free", 1000],
  ["small", 200],
  ["wide", 1_000_000],
]);
const FIGURES_EVERY_MS = 10_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
const random = seededRandom(seed);
const untilMs = performance.now() + Number(values.minutes) * 60_000;

interface Customer {
  readonly email: string;
  session: string;
  readonly keys: { readonly id: string; readonly apiKey: string }[];
  answered: number;
}

await using resources = new AsyncDisposableStack();
const postgres = resources.use(await startPostgres());
const nodes: Server[] = [];
for (let count = 0; count < NODES; count += 1) {
  nodes.push(await startNode(postgres.url(), resources));
}
for (const [name, units] of PLANS) {
  await administer(
    postgres.url(),
    `INSERT INTO plans (name, units_per_period) VALUES ('${name}', ${units})
     ON CONFLICT (name) DO UPDATE SET units_per_period = excluded.units_per_period`,
  );
}

const clients = nodes.map(({ url }) => clientOf(url));
const one = <Thing>(things: readonly Thing[]): Thing => {
  const thing = things[Math.floor(random() * things.length)];
  if (thing === undefined) throw new Error("there is none to choose from");
  return thing;
};
const counts = new Map<string, number>();
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);

const customers: Customer[] = await Promise.all(
  Array.from({ length: ACCOUNTS }, async (_, index) => {
    const email = `customer-${index}@example.org`;
    const session = await one(clients).openSession(email);
    return { email, session, keys: [await one(clients).createKey(session)], answered: 0 };
  }),
);
console.log(`seed ${seed}: ${ACCOUNTS} accounts on ${NODES} nodes, ${HANDS} hands`);

const showing = setInterval(() => console.log(figures()), FIGURES_EVERY_MS);
try {
  await Promise.all(Array.from({ length: HANDS }, () => work()));
} finally {
  clearInterval(showing);
}
console.log(figures());

await checkSums(postgres.url());
for (const { email, session, answered } of customers) {
  const units = await one(clients).usedUnits(session);
  assert.equal(units, answered, `${email}: ${units} units, ${answered} answers`);
}
assert.doesNotMatch(postgres.log(), /deadlock/i);
assert.doesNotMatch(postgres.log(), /(?:ERROR|FATAL|PANIC):/);
for (const node of nodes) checkNode(node);
console.log("every answer was charged once, the sums agree, and there was no deadlock");

async function work(): Promise<void> {
  const connections = nodes.map(({ url }) => openConnection(url));
  while (performance.now() < untilMs) {
    const customer = one(customers);
    const chance = random();
    if (chance < 0.9) {
      const apiKey = customer.keys.at(-1)?.apiKey;
      if (apiKey === undefined) continue;
      const { status, body } = await one(connections).readRate("EUR/USD", apiKey);
      // A key may be revoked on the way.
      assert.ok([200, 401, 429].includes(status), body);
      if (status === 200) customer.answered += 1;
      count(`read ${status}`);
    } else if (chance < 0.94 && customer.keys.length < KEYS_MAX) {
      customer.keys.push(await one(clients).createKey(customer.session));
      count("key made");
    } else if (chance < 0.97) {
      await revokeOne(one(clients), customer);
    } else if (chance < 0.98) {
      customer.session = await one(clients).logIn(customer.email);
      count("log-in");
    } else if (chance < 0.99) {
      await one(clients).usedUnits(customer.session);
      count("usage");
    } else {
      await movePlan(customer.email);
    }
  }
  for (const connection of connections) connection[Symbol.dispose]();
}

/** One key at least stays, or there would soon be no reads. */
async function revokeOne(client: Client, { keys, session }: Customer): Promise<void> {
  if (keys.length < 2) return;
  const [key] = keys.splice(0, 1);
  const { status, text } = await client.call("DELETE", `/v1/account/api-keys/${key?.id}`, {
    session,
  });
  assert.equal(status, 204, text);
  count("key revoked");
}

/** By the statement of the command line, which would take half a second to start. */
async function movePlan(email: string): Promise<void> {
  const plan = one([...PLANS.keys()]);
  await administer(
    postgres.url(),
    `UPDATE accounts SET plan = '${plan}' WHERE email = '${email}' RETURNING id`,
  );
  count("plan changed");
}

function figures(): string {
  return [...counts].map(([what, times]) => `${what}: ${times}`).join(", ");
}
