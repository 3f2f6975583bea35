import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { administer, type Row } from "../../harness/postgres.ts";
import { DISAGREEING_UNITS, startCluster } from "../../test/support/nodes.ts";
import { temporaryDirectory } from "../../test/support/process.ts";
import { newKeyPem } from "../../test/support/signatures.ts";
import { WRONG_COUNTERS } from "../support/counters.ts";
import type { EngineName } from "./plan.ts";

/** A store under torture: the settings of the programs that use it, and direct access. */
export interface TorturedStore extends AsyncDisposable {
  readonly dataDirectory: string;
  /** The environment that a program needs besides its data directory. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs one statement on a separate connection. */
  query(sql: string): Promise<Row[]>;
  /** Problems that the store itself reports. */
  complaints(): Promise<string[]>;
  /** Creates a further empty store, even without tables. */
  another(): Promise<TorturedStore>;
}

export function openStore(engine: EngineName): Promise<TorturedStore> {
  return engine === "sqlite" ? newFile() : newCluster();
}

/** All programs on a store sign with one key. */
async function withSigningKey(directory: string) {
  const file = join(directory, "signing-key.pem");
  await writeFile(file, newKeyPem(), { mode: 0o600 });
  return { SIGNING_KEY_FILE: file };
}

async function newFile(): Promise<TorturedStore> {
  const directory = await temporaryDirectory();
  const env = await withSigningKey(directory.path);
  const query = async (sql: string): Promise<Row[]> => {
    using database = new DatabaseSync(join(directory.path, "kurs.db"), { timeout: 5000 });
    return database.prepare(sql).all();
  };
  return {
    dataDirectory: directory.path,
    env,
    query,
    async complaints() {
      const [found] = await query("PRAGMA integrity_check");
      const isWhole = found?.integrity_check === "ok";
      return [
        ...(isWhole ? [] : [`integrity_check: ${JSON.stringify(found)}`]),
        ...problemsIn("foreign_key_check", await query("PRAGMA foreign_key_check")),
        ...problemsIn("sums of units disagree", await query(sumsFor(DISAGREEING_UNITS))),
      ];
    },
    another: newFile,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** SQLite has another syntax for casts. */
function sumsFor(sql: string): string {
  return sql.replace("::bigint", "");
}

async function newCluster(): Promise<TorturedStore> {
  const cluster = await startCluster();
  let databases = 0;
  const signing = await withSigningKey(cluster.dataDirectory);
  const storeAt = (url: string, dataDirectory: string, dispose: () => PromiseLike<void>) => {
    const query = (sql: string) => administer(url, sql);
    const store: TorturedStore = {
      dataDirectory,
      env: { DATABASE_URL: url, ...signing },
      query,
      async complaints() {
        return [
          ...cluster.complaints(),
          ...problemsIn("sums of units disagree", await query(DISAGREEING_UNITS)),
          ...problemsIn("counters disagree", await query(WRONG_COUNTERS)),
        ];
      },
      async another() {
        databases += 1;
        const name = `empty_${databases}`;
        await administer(cluster.postgres.url(), `CREATE DATABASE ${name}`);
        const directory = await temporaryDirectory();
        const remove = () => directory[Symbol.asyncDispose]();
        return storeAt(cluster.postgres.url(name), directory.path, remove);
      },
      [Symbol.asyncDispose]: async () => await dispose(),
    };
    return store;
  };
  return storeAt(cluster.url, cluster.dataDirectory, () => cluster[Symbol.asyncDispose]());
}

function problemsIn(what: string, rows: readonly Row[]): string[] {
  return rows.length === 0 ? [] : [`${what}: ${JSON.stringify(rows)}`];
}
