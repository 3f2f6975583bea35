import { Client } from "pg";
import { administer, type PostgresServer, startPostgres } from "../../harness/postgres.ts";
import { eventually } from "./mails.ts";
import { type Ended, kurs, type Server, serve, temporaryDirectory } from "./process.ts";

type Environment = Readonly<Record<string, string>>;
type Row = Readonly<Record<string, unknown>>;

/** How a server is started that several clusters share: its log tells their databases apart. */
export const SHARED = { settings: { log_line_prefix: "%m [%p] %q<%d> " } };

/** A PostgreSQL database of the test's own, and nodes on it. Disposing of it ends all of them. */
export interface Cluster extends AsyncDisposable {
  readonly postgres: PostgresServer;
  /** Where nodes put what is no store's: mails without an SMTP server. */
  readonly dataDirectory: string;
  /** The address of the nodes' database. */
  readonly url: string;
  /** Starts a node in a process of its own and waits until it listens. */
  startNode(env?: Environment): Promise<Server>;
  startNodes(count: number, env?: Environment): Promise<Server[]>;
  /** Runs a command on the nodes' database. */
  kurs(...args: readonly string[]): Promise<Ended>;
  /** Runs one statement beside the nodes. */
  query(sql: string, ...values: unknown[]): Promise<Row[]>;
  /** What PostgreSQL's log holds above the level of a message: in good order, nothing. */
  complaints(): string[];
}

let databases = 0;

/** @param shared a server that other clusters use as well; without it, a server of its own. */
export async function startCluster(shared?: PostgresServer): Promise<Cluster> {
  await using starting = new AsyncDisposableStack();
  const { path: dataDirectory } = starting.use(await temporaryDirectory());
  const postgres = shared ?? starting.use(await startPostgres());
  databases += 1;
  const name = `kurs_${databases}`;
  await administer(postgres.url(), `CREATE DATABASE ${name}`);
  const url = postgres.url(name);
  const beside = starting.use(await connectTo(url));
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
      // Those beside one that fails are waited for, or nobody would end them.
      await Promise.allSettled(starts);
      return await Promise.all(starts);
    },
    kurs: (...args) => kurs(args, { dataDirectory, env: { DATABASE_URL: url } }),
    query: async (sql, ...values) => (await beside.query(sql, values)).rows as Row[],
    complaints() {
      const lines = postgres.log().match(/^.*\b(?:WARNING|ERROR|FATAL|PANIC): .*$/gm) ?? [];
      // What is of no database is everyone's.
      return lines.filter((line) => line.includes(`<${name}>`) || !/ <kurs_\d+> /.test(line));
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** A connection of the test's own. Disposing of it ends it, and what it holds. */
export async function connectTo(url: string) {
  const client = new Client({ connectionString: url, application_name: "beside" });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Waits until so many others wait for a lock that a connection holds. @returns their processes. */
export function waitersFor(holder: Client, count = 1): Promise<number[]> {
  const sql = `
    SELECT DISTINCT pid FROM pg_locks
    WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
  return eventually(`${count} that wait`, async () => {
    const { rows } = await holder.query<{ pid: number }>(sql);
    return rows.length >= count ? rows.map(({ pid }) => pid) : undefined;
  });
}

/** The one of several that a turn falls to. */
export function nth<Item>(items: readonly Item[], turn: number): Item {
  const item = items[turn % items.length];
  if (item === undefined) throw new Error("there is none to take turns");
  return item;
}

/** Units are stored twice over, by period and by day and key: where the two do not agree. */
export const DISAGREEING_UNITS = `
  SELECT account_id, period, p.units, d.units AS daily
  FROM period_usage p
  FULL JOIN (
    SELECT account_id, substr(day, 1, 7) AS period, sum(units)::bigint AS units
    FROM daily_usage GROUP BY 1, 2
  ) d USING (account_id, period)
  WHERE coalesce(p.units, 0) <> coalesce(d.units, 0)`;
