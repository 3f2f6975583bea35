import { Client } from "pg";
import { type PostgresServer, startPostgres } from "../../harness/postgres.ts";
import { migratePostgresStore } from "../../src/platform/storage/postgres/open.ts";
import {
  type DatabaseHost,
  type DatabaseSettings,
  parseDatabaseUrl,
} from "../../src/platform/storage/settings.ts";
import { atEnd } from "./at-end.ts";
import { patience } from "./patience.ts";

/** A separate database. Disposing of it removes it. */
export interface PostgresDatabase extends AsyncDisposable {
  readonly url: string;
  readonly hosts: readonly DatabaseHost[];
}

let server: Promise<string> | undefined;
let started: PostgresServer | undefined;
let schemas = 0;

// Here and not where the server starts: there it would end with the first test that uses it.
atEnd(async () => {
  await (await owner)?.end();
  await started?.[Symbol.asyncDispose]();
});

// One connection creates and removes all schemas: a new connection costs more than a schema.
let owner: Promise<Client> | undefined;
let administered: Promise<unknown> = Promise.resolve();

async function connectOwner(): Promise<Client> {
  const client = new Client({ connectionString: await serverUrl() });
  await client.connect();
  // It lives as long as the process and must not keep it alive.
  (client as Client & { unref(): void }).unref();
  return client;
}

async function administer(statement: string): Promise<void> {
  owner ??= connectOwner();
  const client = await owner;
  const done = administered.then(() => client.query(statement));
  administered = done.catch(() => undefined);
  await done;
}

/**
 * Creates a database with all tables: on the server of `TEST_DATABASE_URL` or, by default, on one
 * that this process starts for all its tests. It is a separate schema, which takes a tenth of the
 * time of a database and looks the same from inside.
 */
export async function newPostgresDatabase(): Promise<PostgresDatabase> {
  const database = await newBareDatabase();
  await migratePostgresStore(database.hosts, patience.server.connectTimeoutMs);
  return database;
}

/** Creates a database without tables. */
export async function newBareDatabase(): Promise<PostgresDatabase> {
  const url = new URL(await serverUrl());
  schemas += 1;
  const schema = `kurs_test_${process.pid}_${schemas}`;
  await administer(`CREATE SCHEMA ${schema}`);
  url.searchParams.set("options", `-c search_path=${schema}`);
  const { href } = url;
  return {
    url: href.replaceAll("+", "%20"),
    hosts: hostsOf(href.replaceAll("+", "%20")),
    async [Symbol.asyncDispose]() {
      await administer(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
}

export function hostsOf(url: string): readonly DatabaseHost[] {
  const hosts = parseDatabaseUrl(url);
  if (hosts === undefined) throw new Error(`${url} is not a database URL`);
  return hosts;
}

/** The settings of a store at an address. */
export const databaseOf = (url: string): DatabaseSettings => ({
  engine: "postgres",
  hosts: hostsOf(url),
});

function serverUrl(): Promise<string> {
  server ??= begin();
  return server;
}

async function begin(): Promise<string> {
  const { TEST_DATABASE_URL: given } = process.env;
  if (given !== undefined) return given;
  started = await startPostgres();
  return started.url();
}
