import type { PoolClient } from "pg";
import { StartupError } from "../../shared/program/start-error.ts";
import { isPooled, requireOwnSession, SESSION_ROUNDS } from "./own-session.ts";
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
  if (isPooled(client, about.process_id)) {
    const second = await primary.connect();
    const checked = requireOwnSession([client, second], SESSION_ROUNDS.start);
    await checked.finally(() => second.release(true));
  }
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
