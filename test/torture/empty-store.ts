import { loadSnapshot } from "../../src/rates/sources/snapshot.ts";
import { openConnection } from "../support/client.ts";
import { passwordOf } from "./customer-worker.ts";
import { Violation } from "./event-log.ts";
import { type Node, Nodes } from "./nodes.ts";
import { type EmptyStorePlan, tellInstant } from "./plan.ts";
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
  round.story.tell(`${how}, ${tellInstant(killedAt)}`);

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
  round.counts.count("empty stores");
}

/** The number of distinct pairs in the bundled publications. */
async function snapshotPairs(): Promise<number> {
  const publications = await loadSnapshot();
  const pairs = publications.flatMap(({ quotations }) =>
    quotations.map(({ base, quote }) => `${base}/${quote}`),
  );
  return new Set(pairs).size;
}

/** A complete store accepts an account, a key and a charged read. */
async function readFirst({ client, url, index }: Node): Promise<void> {
  const email = `first-${index}@example.org`;
  const json = { email, password: passwordOf(email) };
  const registered = await client.call("POST", "/v1/auth/register", { json });
  const loggedIn = await client.call("POST", "/v1/auth/login", { json });
  const session = String(loggedIn.body.session_token);
  const { id, apiKey } = await client.createKey(session);
  using connection = openConnection(url);
  const { status, body } = await connection.readRate("EUR/USD", apiKey);
  // After an interrupted import the pair may be missing; the read is charged anyway.
  const isRead = status === 200 || status === 404;
  if (registered.status !== 201 || !isRead || (await client.usedUnits(session)) !== 1) {
    throw new Violation(`a new store, key ${id}: ${registered.status}, ${status} ${body}`);
  }
}
