import { chown, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  administer,
  copyOfEmptyCluster,
  freePort,
  type PostgresOptions,
  type PostgresServer,
  startPostgres,
} from "../../harness/postgres.ts";
import { eventually } from "./mails.ts";

/**
 * Syncs every commit to disk, and keeps enough WAL for a standby. The standby must allow as many
 * senders as the empty cluster was created with.
 */
const DURABLE = {
  fsync: "on",
  wal_level: "replica",
  max_wal_senders: "10",
  wal_keep_size: "256MB",
  hot_standby: "on",
};

const STANDBY = "standby";

/**
 * Creates a new cluster of a primary and its standby. While the standby is synchronous, every
 * acknowledged commit is on the disks of both.
 */
export async function startPrimaryAndStandby({ isSynchronous = true } = {}) {
  await using starting = new AsyncDisposableStack();
  const settings = { ...DURABLE, synchronous_standby_names: isSynchronous ? STANDBY : "" };
  const primary = starting.use(await startPostgres({ settings }));
  // Every new cluster is a copy of the same empty one, so two of them are one cluster.
  const dataDirectory = await copyOfEmptyCluster();
  const standby = starting.use(await startStandby(primary.port, { dataDirectory }));
  const state = isSynchronous ? "sync" : "async";
  await eventually("standby", async () => {
    const states = await administer(
      primary.url(),
      `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${state}'`,
    );
    return states.length === 1 || undefined;
  });
  const started = starting.move();
  return { primary, standby, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** Starts a data directory as a standby of the primary at a port. */
export async function startStandby(
  primaryPort: number,
  { dataDirectory, port }: { readonly dataDirectory: string; readonly port?: number },
): Promise<PostgresServer> {
  const mark = join(dataDirectory, "standby.signal");
  await writeFile(mark, "");
  const { uid, gid } = await stat(dataDirectory);
  await chown(mark, uid, gid);
  const primary = `host=127.0.0.1 port=${primaryPort} user=postgres application_name=${STANDBY}`;
  const settings = { ...DURABLE, primary_conninfo: primary };
  const options: PostgresOptions = { dataDirectory, port: port ?? (await freePort()), settings };
  return await startPostgres(options);
}
