import assert from "node:assert/strict";
import { setTimeout as after } from "node:timers/promises";
import { parseArgs } from "node:util";
import { administer } from "../../harness/postgres.ts";
import { nth } from "../../test/support/nodes.ts";
import { startPrimaryAndStandby, startStandby } from "../../test/support/primary-and-standby.ts";
import type { Server } from "../../test/support/process.ts";
import { freeze } from "../../test/support/stalls.ts";
import {
  checkLedger,
  checkNode,
  Load,
  openReaders,
  restarted,
  startNode,
  untilReady,
} from "./load.ts";

/** Attempts that started before the promotion, or that connect too slowly, may fail. */
const ATTEMPTS_MAX = 10;

const NODES = 2;

const CONNECTED = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'kurs'";

/** The guaranteed time from the promotion until service resumes, on an otherwise idle machine. */
const BACK_MS_MAX = 5000;

// npm run trials -- failover --seconds 60: how long the load runs before the primary fails, and again
// after the promotion.
const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const seconds = Number(values.seconds);
const print = (line: string) => console.log(`  ${line}`);
for (const primaryIs of ["killed", "frozen"] as const) {
  for (const standbyFirst of [false, true]) {
    console.log(`primary ${primaryIs}, ${standbyFirst ? "standby" : "primary"} listed first:`);
    await failOver(primaryIs, standbyFirst);
  }
}
console.log("nothing was lost, charged twice or charged above a quota");

/**
 * Two nodes under load lose their primary, which is killed, or frozen and killed later, and continue
 * on its standby. Then the old primary comes back as a standby, and the nodes must not use it.
 */
async function failOver(primaryIs: "killed" | "frozen", standbyFirst: boolean): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const { primary, standby } = resources.use(await startPrimaryAndStandby());
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`);
  if (standbyFirst) hosts.reverse();
  const databaseUrl = `postgres://postgres@${hosts.join(",")}/postgres`;
  const nodes: Server[] = [];
  for (let count = 0; count < NODES; count += 1) {
    nodes.push(await startNode(databaseUrl, resources));
  }
  const quotas = [1000, 10_000_000, 10_000_000];
  const ledger = await openReaders(nth(nodes, 0), primary.url(), { quotas });
  await using load = new Load(nodes, ledger, { connections: 16, writers: 4 });
  await load.untilAnswered(500);
  await after(seconds * 1000);
  print(`before: ${load}`);

  using frozen = await freeze(primary);
  // A killed server cannot charge a read; a frozen one may, from its buffers.
  load.mayReachStore = primaryIs === "frozen";
  if (primaryIs === "killed") await frozen.kill();
  for (const node of nodes) await untilReady(node, 503);
  load.mayReachStore = true;
  const promotedMs = performance.now();
  await standby.promote();
  for (const node of nodes) {
    const { attempts } = await untilReady(node);
    assert.ok(attempts <= ATTEMPTS_MAX, `ready only at attempt ${attempts}`);
  }
  await load.untilAnswered(1);
  const backMs = performance.now() - promotedMs;
  print(`back ${Math.round(backMs)} ms after the promotion`);
  assert.ok(backMs < BACK_MS_MAX, `back only after ${backMs} ms`);
  await load.untilAnswered(500);
  await after(seconds * 500);

  await frozen.kill();
  const servedBefore = load.figures.unavailable;
  const { dataDirectory, port } = primary;
  const startAgain = () => startStandby(standby.port, { dataDirectory, port });
  const returned = resources.use(await restarted(startAgain));
  await load.untilAnswered(500);
  await after(seconds * 500);
  assert.equal(load.figures.unavailable, servedBefore, "the old primary's return caused 503s");
  await load.stop();
  print(`after: ${load}`);

  await checkLedger(nodes, ledger, standby.url());
  assert.deepEqual(await administer(returned.url(), CONNECTED), []);
  for (const node of nodes) checkNode(node);
}
