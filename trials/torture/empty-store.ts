import { loadSnapshot } from "../../src/rates/sources/fetching/snapshot.ts";
import { Violation } from "./event-log.ts";
import { type Node, Nodes } from "./nodes.ts";
import type { EmptyStorePlan } from "./plan.ts";
import { CHUNK, IMPORTED_PAIRS, rateFile, SELECT_IMPORTED } from "./rates.ts";
import type { Round } from "./round.ts";

/**
 * Kills a process while it creates a store, and starts another one there: the store must become
 * complete.
 */
export async function tortureEmptyStore(round: Round, plan: EmptyStorePlan): Promise<void> {
  const { by, killedAt } = plan;
  await using store = await round.store.another();
  const count = round.settings.nodes;
  await using nodes = new Nodes(store, count, (node) => readFirst(node));
  nodes.startMs = round.nodes.startMs;
  const args = by === "rates import" ? ["rates", "import", "-"] : [by];
  const isDone = await nodes.runAndKill(args, killedAt, by === "rates import" ? rateFile(1) : "");
  const how = `${by} on an empty store ${isDone ? "ended before its kill" : "was killed"}`;
  round.story.tell(`${how}, ${JSON.stringify(killedAt)}`);

  // All nodes at once, like an operator's orchestrator.
  await Promise.all(Array.from({ length: count }, (_, index) => nodes.start(index)));
  nodes.check();
  const complaints = await store.complaints();
  const imported = (await store.query(SELECT_IMPORTED)).length;
  const [rates] = await store.query("SELECT count(*) AS count FROM rates");
  const all = Number(rates?.count);
  const isWhole = isDone && by === "rates import" ? imported === IMPORTED_PAIRS : true;
  if (!isWhole || imported % CHUNK !== 0) complaints.push(`${imported} imported rates`);
  // The snapshot is loaded completely, and only into a store without rates.
  const wanted = imported === 0 ? await snapshotPairs() : imported;
  if (all !== wanted) complaints.push(`${all} rates, not ${wanted}`);
  if (complaints.length > 0) throw new Violation(`${how}; then: ${complaints.join("; ")}`);

  for (const { server } of nodes.all()) await server.stop();
  round.nodes.kills += nodes.kills;
  round.nodes.recoveriesMs.push(...nodes.recoveriesMs);
  round.counts.add("empty stores");
}

/** The number of distinct pairs in the bundled publications. */
async function snapshotPairs(): Promise<number> {
  const { publications } = loadSnapshot();
  const pairs = publications.flatMap(({ quotations }) =>
    quotations.map(({ base, quote }) => `${base}/${quote}`),
  );
  return new Set(pairs).size;
}

/** A complete store accepts an account, a key and a charged read. */
async function readFirst({ server, index }: Node): Promise<void> {
  const { read, usedUnits } = await server.newCustomer(`first-${index}@example.org`);
  const { status, text } = await read();
  // After an interrupted import the pair may be missing; the read is charged anyway.
  const isRead = status === 200 || status === 404;
  if (!isRead || (await usedUnits()) !== 1) throw new Violation(`a new store: ${status} ${text}`);
}
