import { Client } from "pg";
import {
  administer,
  type PostgresServer,
  type Row,
  startPostgres,
} from "../../harness/postgres.ts";
import { eventually } from "./mails.ts";
import { type Ended, kurs, type Server, serve, temporaryDirectory } from "./process.ts";

type Environment = Readonly<Record<string, string>>;

/** Settings of a server that several clusters share: its log names the database of each line. */
export const SHARED = { settings: { log_line_prefix: "%m [%p] %q<%d> " } };

/** A separate PostgreSQL database, and nodes on it. Disposing of it ends all of them. */
export interface Cluster extends AsyncDisposable {
  readonly postgres: PostgresServer;
  /** The nodes' directory for data outside the store: mails without an SMTP server. */
  readonly dataDirectory: string;
  /** The URL of the nodes' database. */
  readonly url: string;
  /** Starts a node in its own process and waits until it listens. */
  startNode(env?: Environment): Promise<Server>;
  startNodes(count: number, env?: Environment): Promise<Server[]>;
  /** Runs a command on the nodes' database. */
  kurs(...args: readonly string[]): Promise<Ended>;
  /** Runs one statement on a separate connection. */
  query(sql: string, ...values: unknown[]): Promise<Row[]>;
  /** The warnings and errors in PostgreSQL's log; there should be none. */
  complaints(): string[];
}

let databases = 0;

/** @param shared a server that other clusters use as well; by default a separate one. */
export async function startCluster(shared?: PostgresServer): Promise<Cluster> {
  await using starting = new AsyncDisposableStack();
  const { path: dataDirectory } = starting.use(await temporaryDirectory());
  const postgres = shared ?? starting.use(await startPostgres());
  databases += 1;
  const name = `kurs_${databases}`;
  await administer(postgres.url(), `CREATE DATABASE ${name}`);
  const url = postgres.url(name);
  const admin = starting.use(await connectTo(url));
  const nodes = starting.use(new AsyncDisposableStack());
  const startNode = async (env: Environment = {}) =>
    nodes.use(await serve({ dataDirectory, env: { DATABASE_URL: url, ...env } }));

  const started = starting.move();
  return {
    postgres,
    dataDirectory,
    url,
    startNode,
    async startNodes(count, env) {
      const starts = Array.from({ length: count }, () => startNode(env));
      // If one start fails, the others are awaited as well, so that they are disposed of.
      await Promise.allSettled(starts);
      return await Promise.all(starts);
    },
    kurs: (...args) => kurs(args, { dataDirectory, env: { DATABASE_URL: url } }),
    query: async (sql, ...values) => (await admin.query(sql, values)).rows as Row[],
    complaints() {
      const lines = postgres.log().match(/^.*\b(?:WARNING|ERROR|FATAL|PANIC): .*$/gm) ?? [];
      // Lines without a database belong to every cluster.
      return lines.filter((line) => line.includes(`<${name}>`) || !/ <kurs_\d+> /.test(line));
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** A separate connection. Disposing of it ends it and releases its locks. */
export async function connectTo(url: string) {
  const client = new Client({ connectionString: url, application_name: "test" });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Waits until this many processes wait for a lock of a connection. @returns their process ids. */
export function waitersFor(holder: Client, count = 1): Promise<number[]> {
  const sql = `
    SELECT DISTINCT pid FROM pg_locks
    WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
  return eventually(`${count} waiting processes`, async () => {
    const { rows } = await holder.query<{ pid: number }>(sql);
    return rows.length >= count ? rows.map(({ pid }) => pid) : undefined;
  });
}

/** The item at an index, cyclically. */
export function nth<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("there are no items");
  return item;
}

/** Units are stored by period, and by day and key: the rows where the two differ. */
export const DISAGREEING_UNITS = `
  SELECT account_id, period, p.units, d.units AS daily
  FROM period_usage p
  FULL JOIN (
    SELECT account_id, substr(day, 1, 7) AS period, sum(units)::bigint AS units
    FROM daily_usage GROUP BY 1, 2
  ) d USING (account_id, period)
  WHERE coalesce(p.units, 0) <> coalesce(d.units, 0)`;
