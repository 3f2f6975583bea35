import assert from "node:assert/strict";
import { test } from "node:test";
import { burn } from "../../src/customers/api-keys/burn.ts";
import { systemClock } from "../../src/platform/shared/clock.ts";
import { originNow } from "../../src/platform/shared/origin.ts";
import { createSecrets } from "../../src/platform/shared/secrets.ts";
import { commandTimeouts, parseDatabaseUrl } from "../../src/platform/storage/settings.ts";
import type { Client } from "../../test/support/client.ts";
import { startCluster } from "../../test/support/nodes.ts";
import { openWire, type Wire } from "../../test/support/raw-connection.ts";
import { openPostgresStore, type Store } from "../../test/support/stores.ts";

/** `REVOCATIONS=10000` tries more. */
const TRIALS = Number(process.env.REVOCATIONS ?? 200);

/** As many as an account may create per day. */
const KEYS_PER_ACCOUNT = 100;

/** Keys that are revoked concurrently, each by its own worker. */
const WORKERS = 6;

/** A key counts as rejected after this many rejections in a row. */
const REFUSALS = 3;

/** A key in use, with its account. */
interface UsedKey {
  readonly email: string;
  readonly session: string;
  readonly id: string;
  readonly apiKey: string;
}

type End = (key: UsedKey, node: Client, store: Store) => Promise<unknown>;

const { hash, uuid } = createSecrets();
const origin = () => originNow({ kind: "service" }, { clock: systemClock, secrets: { uuid } });

async function* textWith({ apiKey }: UsedKey) {
  yield Buffer.from(`{"authorization":"ApiKey ${apiKey}"}\n`);
}

/** What makes a key invalid once its promise resolves; then what lets the account use others. */
const rejections: Readonly<Record<string, readonly [reject: End, restore?: End]>> = {
  "console's revocation": [({ session, id }, node) => node.revokeKey(session, id)],
  "operator's burn": [
    async (key, _node, store) => {
      const report = await burn(textWith(key), { store, hash, origin }, false, () => undefined);
      assert.equal(report.keysRevoked, 1);
    },
  ],
  "suspension of its account": [
    async ({ email }, _node, store) =>
      assert.equal(await store.administration.suspend(email, origin()), "changed"),
    ({ email }, _node, store) => store.administration.resume(email, origin()),
  ],
};

/**
 * Makes keys invalid through one node, or by a command, while another node reads with them
 * continuously: no read that begins after the acknowledgement may succeed. Each worker has accounts
 * of its own, so that a rejection may concern the whole account.
 */
async function revoke(reject: End, restore: End | undefined) {
  await using cluster = await startCluster();
  const [here, there] = await cluster.startNodes(2, { PLAN_FREE_UNITS: "1000000000" });
  if (here === undefined || there === undefined) throw new Error("there are no two nodes");
  await using store = await openPostgresStore(parseDatabaseUrl(cluster.url) ?? [], commandTimeouts);
  const sessions: string[] = [];
  let accounts = 0;
  const newAccount = async () => {
    accounts += 1;
    const email = `account-${accounts}@example.org`;
    const session = await here.openSession(email);
    sessions.push(session);
    return { email, session };
  };
  /** Reads that began after their key's rejection was acknowledged and still succeeded. */
  const late: string[] = [];
  let [begun, answered, rejected] = [0, 0, 0];

  const tryOnce = async (wire: Wire, account: Pick<UsedKey, "email" | "session">) => {
    const key: UsedKey = { ...account, ...(await here.createKey(account.session)) };
    const { id, apiKey } = key;
    const known = Promise.withResolvers<void>();
    let isRejected = false;
    const readOn = async () => {
      for (let refusals = 0; refusals < REFUSALS; ) {
        const beganAfter = isRejected;
        const { status, text } = await wire.readRate("EUR/USD", apiKey);
        if (status === 200) answered += 1;
        else if (status === 401) rejected += 1;
        else throw new Error(`a read got ${status}: ${text}`);
        if (beganAfter && status !== 401) late.push(`key ${id}: ${text}`);
        // A read in flight when the key becomes invalid may succeed or not.
        if (beganAfter) refusals += 1;
        known.resolve();
      }
    };
    const reading = readOn();
    await Promise.race([known.promise, reading]);
    await reject(key, here, store);
    isRejected = true;
    await reading;
    await restore?.(key, here, store);
  };
  const work = async () => {
    using wire = await openWire(there.url);
    let account = await newAccount();
    for (let keys = 1; begun < TRIALS; keys += 1) {
      begun += 1;
      await tryOnce(wire, account);
      if (keys % KEYS_PER_ACCOUNT === 0) account = await newAccount();
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));

  assert.deepEqual(late, []);
  assert.ok(answered >= TRIALS, "a key was rejected before the other node had read with it");
  assert.ok(rejected >= REFUSALS * TRIALS);
  let chargedUnits = 0;
  for (const session of sessions) chargedUnits += await here.usedUnits(session);
  assert.equal(chargedUnits, answered);
  assert.deepEqual(cluster.complaints(), []);
  return `${TRIALS} trials, ${answered} reads succeeded, ${rejected} were rejected`;
}

for (const [name, [reject, restore]] of Object.entries(rejections)) {
  test(`a key that the ${name} ends is rejected by every node in every read after that`, async (t) => {
    t.diagnostic(await revoke(reject, restore));
  });
}
