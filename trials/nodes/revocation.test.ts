import assert from "node:assert/strict";
import { test } from "node:test";
import { burn } from "../../src/customers/api-keys/burn.ts";
import { createSecrets } from "../../src/platform/hashing/secrets.ts";
import { systemClock } from "../../src/platform/shared/clock.ts";
import { originNow } from "../../src/platform/shared/origin.ts";
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

interface Account {
  readonly email: string;
  readonly session: string;
}

/** A key in use, with its account. */
interface UsedKey extends Account {
  readonly id: string;
  readonly apiKey: string;
}

/** What a rejection may use: a node, and a store of its own as a command has one. */
interface Means {
  readonly node: Client;
  readonly store: Store;
}

/** A way in which a key becomes invalid. */
interface Rejection {
  /** From the moment that its promise resolves, the key is invalid. */
  reject(key: UsedKey, means: Means): Promise<void>;
  /** Lets the account use further keys, where `reject` concerned the account. */
  restore?(key: UsedKey, means: Means): Promise<void>;
}

const { hash, uuid } = createSecrets();
const origin = () => originNow({ kind: "service" }, { clock: systemClock, secrets: { uuid } });

async function* textWith({ apiKey }: UsedKey) {
  yield Buffer.from(`{"authorization":"ApiKey ${apiKey}"}\n`);
}

const rejections = {
  "console's revocation": { reject: ({ session, id }, { node }) => node.revokeKey(session, id) },
  "operator's burn": {
    async reject(key, { store }) {
      const ignore = () => undefined;
      const report = await burn(textWith(key), { store, hash, origin }, false, ignore);
      if (report.keysRevoked !== 1) throw new Error(`key ${key.id} was not burned`);
    },
  },
  "suspension of its account": {
    async reject({ email }, { store }) {
      const outcome = await store.administration.suspend(email, origin());
      if (outcome !== "changed") throw new Error(`${email} was not suspended`);
    },
    async restore({ email }, { store }) {
      await store.administration.resume(email, origin());
    },
  },
} satisfies Record<string, Rejection>;

/**
 * Makes keys invalid through one node, or by a command, while another node reads with them
 * continuously: no read that begins after the acknowledgement may succeed. Each worker has accounts
 * of its own, so that a rejection may concern the whole account.
 */
async function revoke(rejection: Rejection) {
  await using cluster = await startCluster();
  const [here, there] = await cluster.startNodes(2, { PLAN_FREE_UNITS: "1000000000" });
  if (here === undefined || there === undefined) throw new Error("there are no two nodes");
  await using store = await openPostgresStore(parseDatabaseUrl(cluster.url) ?? [], commandTimeouts);
  const means: Means = { node: here, store };
  const sessions: string[] = [];
  let accounts = 0;
  const newAccount = async () => {
    accounts += 1;
    const email = `account-${accounts}@example.org`;
    const session = await here.openSession(email);
    sessions.push(session);
    return { email, session };
  };
  const firstAccounts: Account[] = [];
  while (firstAccounts.length < WORKERS) firstAccounts.push(await newAccount());
  /** Reads that began after their key's rejection was acknowledged and still succeeded. */
  const late: string[] = [];
  let [begun, answered, rejected] = [0, 0, 0];

  const tryOnce = async (wire: Wire, account: Account) => {
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
    await rejection.reject(key, means);
    isRejected = true;
    await reading;
    await rejection.restore?.(key, means);
  };
  const work = async (firstAccount: Account) => {
    using wire = await openWire(there.url);
    let account = firstAccount;
    for (let keys = 1; begun < TRIALS; keys += 1) {
      begun += 1;
      await tryOnce(wire, account);
      if (keys % KEYS_PER_ACCOUNT === 0) account = await newAccount();
    }
  };
  await Promise.all(firstAccounts.map(work));

  assert.deepEqual(late, []);
  assert.ok(answered >= TRIALS, "a key was rejected before the other node had read with it");
  assert.ok(rejected >= REFUSALS * TRIALS);
  let chargedUnits = 0;
  for (const session of sessions) chargedUnits += await here.usedUnits(session);
  assert.equal(chargedUnits, answered);
  assert.deepEqual(cluster.complaints(), []);
  return `${TRIALS} trials, ${answered} reads succeeded, ${rejected} were rejected`;
}

for (const [name, rejection] of Object.entries<Rejection>(rejections)) {
  test(`a key that the ${name} ends is rejected by every node in every read after that`, async (t) => {
    t.diagnostic(await revoke(rejection));
  });
}
