import { parseArgs } from "node:util";
import { clientOf } from "../support/client.ts";
import { startCluster } from "../support/nodes.ts";
import { openReader, type Reader } from "../support/reader.ts";

/** For the full number of trials: `node test/nodes/revocation-trials.ts --trials 10000`. */
const TRIALS_VOUCHED_FOR = 10_000;

/** As many as an account may create per day. */
const KEYS_PER_ACCOUNT = 100;

/** Keys that are revoked concurrently, each by its own worker. */
const WORKERS = 6;

/** A key counts as rejected after this many rejections in a row. */
const REFUSALS = 3;

export interface RevocationReport {
  readonly trials: number;
  /** Reads that began after the 204 of their key's revocation and still succeeded. */
  readonly late: readonly string[];
  /** Reads that succeeded, and reads that were rejected. */
  readonly answered: number;
  readonly refused: number;
  /** The total of charged units. */
  readonly chargedUnits: number;
  readonly complaints: readonly string[];
  readonly seconds: number;
}

/**
 * Revokes keys through one node while another node reads with them continuously: no read that
 * begins after the 204 may succeed.
 */
export async function runRevocationTrials(trials: number): Promise<RevocationReport> {
  await using cluster = await startCluster();
  const [here, there] = await cluster.startNodes(2, { PLAN_FREE_UNITS: "1000000000" });
  if (here === undefined || there === undefined) throw new Error("there are no two nodes");
  const client = clientOf(here.url);
  const sessions: string[] = [];
  while (sessions.length * KEYS_PER_ACCOUNT < trials) {
    sessions.push(await client.openSession(`account-${sessions.length}@example.org`));
  }
  const startedMs = performance.now();
  const late: string[] = [];
  let [begun, answered, refused] = [0, 0, 0];

  const tryOnce = async (connection: Reader, session: string) => {
    const { id, apiKey } = await client.createKey(session);
    const known = Promise.withResolvers<void>();
    let isRevoked = false;
    const readOn = async () => {
      for (let refusals = 0; refusals < REFUSALS; ) {
        const beganAfter = isRevoked;
        const { status, body } = await connection.readRate("EUR/USD", apiKey);
        if (status === 200) answered += 1;
        else if (status === 401) refused += 1;
        else throw new Error(`a read got ${status}: ${body}`);
        if (beganAfter && status !== 401) late.push(`key ${id}: ${body}`);
        // A read in flight when the key is revoked may succeed or not.
        if (beganAfter) refusals += 1;
        known.resolve();
      }
    };
    const reading = readOn();
    await Promise.race([known.promise, reading]);
    const path = `/v1/account/api-keys/${id}`;
    const { status, text } = await client.call("DELETE", path, { session });
    if (status !== 204) throw new Error(`a revocation got ${status}: ${text}`);
    isRevoked = true;
    await reading;
  };
  const work = async () => {
    using connection = openReader(there.url);
    while (begun < trials) {
      const session = sessions[Math.floor(begun / KEYS_PER_ACCOUNT)] ?? "";
      begun += 1;
      await tryOnce(connection, session);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));

  const seconds = (performance.now() - startedMs) / 1000;
  let chargedUnits = 0;
  for (const session of sessions) chargedUnits += await client.usedUnits(session);
  const complaints = cluster.complaints();
  return { trials, late, answered, refused, chargedUnits, complaints, seconds };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { trials: { type: "string" } } });
  console.log(await runRevocationTrials(Number(values.trials ?? TRIALS_VOUCHED_FOR)));
}
