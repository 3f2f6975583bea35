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

/** Two servers of one cluster: every acknowledged commit is on the disks of both. */
export interface PrimaryAndStandby extends AsyncDisposable {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
}

/** Creates a new cluster of a primary and its synchronous standby. */
export async function startPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  await using starting = new AsyncDisposableStack();
  const settings = { ...DURABLE, synchronous_standby_names: STANDBY };
  const primary = starting.use(await startPostgres({ settings }));
  // Every new cluster is a copy of the same empty one, so two of them are one cluster.
  const dataDirectory = await copyOfEmptyCluster();
  const standby = starting.use(await startStandby(primary.port, { dataDirectory }));
  await eventually("synchronous standby", async () => {
    const states = await administer(
      primary.url(),
      "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'",
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
