import type { PoolClient } from "pg";
import { StartupError } from "../../shared/start-error.ts";
import type { Primary } from "./primary.ts";

const ABOUT = `
  SELECT pg_backend_pid() AS process_id, current_setting('server_encoding') AS encoding,
    current_setting('search_path') AS search_path, current_schema() AS schema,
    (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.oid = to_regclass('schema_migrations')) AS found_schema`;

interface About {
  readonly process_id: number;
  readonly encoding: string;
  readonly search_path: string;
  readonly schema: string | null;
  readonly found_schema: string | null;
}

/**
 * Checks that a database can hold the store and that no other client shares our sessions.
 *
 * @param client of the primary.
 * @returns the schema that has the tables, or in which to create them.
 * @throws {StartupError} with advice on what to change.
 */
export async function requireSuitable(client: PoolClient, primary: Primary): Promise<string> {
  const { rows } = await client.query<About>(ABOUT);
  const [about] = rows;
  if (about === undefined) throw new Error("PostgreSQL returned no row about itself");
  // A pooler sends its clients a process id that it invents.
  const { processID: reportedProcessId } = client as PoolClient & { readonly processID?: number };
  if (reportedProcessId !== about.process_id) await requireOwnSession(client, primary);
  const { encoding, search_path: path, schema, found_schema: found } = about;
  if (encoding !== "UTF8") {
    throw new StartupError(
      `The PostgreSQL database has the encoding ${encoding}, which cannot store every ` +
        "text safely: create one with ENCODING 'UTF8' and set DATABASE_URL to it.",
    );
  }
  if (schema === null) {
    throw new StartupError(
      `The search_path (${path}) names no schema that exists and that this role may use: create ` +
        "the schema, or set search_path to another.",
    );
  }
  if (found !== null && found !== schema) {
    throw new StartupError(
      `The search_path (${path}) finds the tables of another Kurs in schema ${found}, but new ` +
        `tables would be created in schema ${schema}: set search_path to the one schema to use.`,
    );
  }
  return schema;
}

/**
 * In a pooler's transaction mode all clients share its sessions, so that one client's settings and
 * prepared statements affect the others.
 */
async function requireOwnSession(first: PoolClient, primary: Primary): Promise<void> {
  const second = await primary.connect();
  try {
    for (const [client, name] of [
      [first, "first"],
      [second, "second"],
    ] as const) {
      await client.query("SELECT set_config('kurs.client', $1, false)", [name]);
    }
    const { rows } = await first.query("SELECT current_setting('kurs.client', true) AS name");
    if (rows[0]?.name === "first") return;
  } finally {
    second.release(true);
  }
  throw new StartupError(
    "The pooler in front of PostgreSQL shares sessions between clients, as in transaction mode: " +
      "set pool_mode = session for this database.",
  );
}
