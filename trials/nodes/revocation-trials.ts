import { parseArgs } from "node:util";
import { burn } from "../../src/api-keys/burn.ts";
import { createSecrets } from "../../src/crypto/secrets.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { originNow } from "../../src/shared/origin.ts";
import { commandTimeouts, parseDatabaseUrl } from "../../src/storage/settings.ts";
import { openPostgresStore, type Store } from "../../src/store.ts";
import type { Client } from "../../test/support/client.ts";
import { startCluster } from "../../test/support/nodes.ts";
import { openWire, type Wire } from "../../test/support/raw-connection.ts";

/** For the full number of trials: `node trials/nodes/revocation-trials.ts --by burn`. */
const TRIALS_VOUCHED_FOR = 10_000;

/** As many as an account may create per day. */
const KEYS_PER_ACCOUNT = 100;

/** Keys that are revoked concurrently, each by its own worker. */
const WORKERS = 6;

/** A key counts as rejected after this many rejections in a row. */
const REFUSALS = 3;

export interface RevocationReport {
  readonly trials: number;
  /** Reads that began after their key's rejection was acknowledged and still succeeded. */
  readonly late: readonly string[];
  /** Reads that succeeded, and reads that were rejected. */
  readonly answered: number;
  readonly rejected: number;
  /** The total of charged units. */
  readonly chargedUnits: number;
  readonly complaints: readonly string[];
  readonly seconds: number;
}

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

export const rejections = {
  console: { reject: ({ session, id }, { node }) => node.revokeKey(session, id) },
  burn: {
    async reject(key, { store }) {
      const ignore = () => undefined;
      const report = await burn(textWith(key), { store, hash, origin }, false, ignore);
      if (report.keysRevoked !== 1) throw new Error(`key ${key.id} was not burned`);
    },
  },
  suspend: {
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
export async function runRevocationTrials(
  trials: number,
  rejection: Rejection = rejections.console,
): Promise<RevocationReport> {
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
  const startedMs = performance.now();
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
    for (let keys = 1; begun < trials; keys += 1) {
      begun += 1;
      await tryOnce(wire, account);
      if (keys % KEYS_PER_ACCOUNT === 0) account = await newAccount();
    }
  };
  await Promise.all(firstAccounts.map(work));

  const seconds = (performance.now() - startedMs) / 1000;
  let chargedUnits = 0;
  for (const session of sessions) chargedUnits += await here.usedUnits(session);
  const complaints = cluster.complaints();
  return { trials, late, answered, rejected, chargedUnits, complaints, seconds };
}

if (import.meta.main) {
  const options = { trials: { type: "string" }, by: { type: "string" } } as const;
  const { trials = TRIALS_VOUCHED_FOR, by = "console" } = parseArgs({ options }).values;
  const found = Object.entries(rejections).find(([name]) => name === by);
  if (found === undefined) throw new Error(`--by: one of ${Object.keys(rejections).join(", ")}`);
  console.log(await runRevocationTrials(Number(trials), found[1]));
}
