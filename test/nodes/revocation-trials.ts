import { parseArgs } from "node:util";
import { startCluster } from "../support/nodes.ts";
import { openWire, type Wire } from "../support/raw-connection.ts";

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
  const sessions: string[] = [];
  while (sessions.length * KEYS_PER_ACCOUNT < trials) {
    sessions.push(await here.openSession(`account-${sessions.length}@example.org`));
  }
  const startedMs = performance.now();
  const late: string[] = [];
  let [begun, answered, refused] = [0, 0, 0];

  const tryOnce = async (wire: Wire, session: string) => {
    const { id, apiKey } = await here.createKey(session);
    const known = Promise.withResolvers<void>();
    let isRevoked = false;
    const readOn = async () => {
      for (let refusals = 0; refusals < REFUSALS; ) {
        const beganAfter = isRevoked;
        const { status, text } = await wire.readRate("EUR/USD", apiKey);
        if (status === 200) answered += 1;
        else if (status === 401) refused += 1;
        else throw new Error(`a read got ${status}: ${text}`);
        if (beganAfter && status !== 401) late.push(`key ${id}: ${text}`);
        // A read in flight when the key is revoked may succeed or not.
        if (beganAfter) refusals += 1;
        known.resolve();
      }
    };
    const reading = readOn();
    await Promise.race([known.promise, reading]);
    await here.revokeKey(session, id);
    isRevoked = true;
    await reading;
  };
  const work = async () => {
    using wire = await openWire(there.url);
    while (begun < trials) {
      const session = sessions[Math.floor(begun / KEYS_PER_ACCOUNT)] ?? "";
      begun += 1;
      await tryOnce(wire, session);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));

  const seconds = (performance.now() - startedMs) / 1000;
  let chargedUnits = 0;
  for (const session of sessions) chargedUnits += await here.usedUnits(session);
  const complaints = cluster.complaints();
  return { trials, late, answered, refused, chargedUnits, complaints, seconds };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { trials: { type: "string" } } });
  console.log(await runRevocationTrials(Number(values.trials ?? TRIALS_VOUCHED_FOR)));
}
