import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mailStore } from "../mail/sql.ts";
import { sourceStore } from "../rates/sources-sql.ts";
import { actAsOwnerOf } from "../storage/sqlite/acting-user.ts";
import { FILE_NAME } from "../storage/sqlite/database-file.ts";
import { createSqliteEngine } from "../storage/sqlite/engine.ts";
import { explained, resultCodeOf } from "../storage/sqlite/errors.ts";
import { createFileIdentityCheck } from "../storage/sqlite/health/file-guard.ts";
import { damageOf } from "../storage/sqlite/health/integrity.ts";
import { knownSchema, schemaOf } from "../storage/sqlite/migrate.ts";
import type { Examination } from "./facts.ts";
import { readUsageTotals } from "./sql.ts";

/** Ample: a server's transactions take milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Examines the embedded database without writing to it; a server may be running.
 *
 * @param isThorough also checks indexes.
 */
export async function examineSqlite(
  dataDirectory: string,
  isThorough: boolean,
): Promise<Examination> {
  const file = join(dataDirectory, FILE_NAME);
  if (!existsSync(file)) return { kind: "missing", what: `no database at ${file}` };
  try {
    using database = openAsOwner(file);
    const schema = schemaOf(database);
    if (schema === 0) return { kind: "failed", reason: `${file} is not a Kurs database` };
    const pageCheck = isThorough ? "integrity_check" : "quick_check";
    const damage = damageOf(database, pageCheck);
    const isReadable = schema === knownSchema() && damage.length === 0;
    const engine = isReadable
      ? createSqliteEngine(database, createFileIdentityCheck(file))
      : undefined;
    return {
      kind: "examined",
      facts: {
        engine: `SQLite ${Object.values(database.prepare("SELECT sqlite_version()").get() ?? {})}`,
        schema,
        knownSchema: knownSchema(),
        pageCheck,
        damage,
        totals: engine && (await readUsageTotals(engine)),
        databaseNowMs: undefined,
      },
      sources: engine && (await sourceStore(engine).list()),
      mails: engine && (await mailStore(engine).list({ withDelivered: false })),
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (resultCodeOf(cause) === undefined) throw error;
    return { kind: "failed", reason: explained(cause, dataDirectory, file).message };
  }
}

/** Opens a database and, by a first read, its WAL. */
function openAsOwner(file: string): DatabaseSync {
  using _owner = actAsOwnerOf(dirname(file));
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    schemaOf(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
