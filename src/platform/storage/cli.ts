import type { Command } from "commander";
import { CommandError, type CommandIo } from "../cli/command.ts";
import { type Column, progressBar, table } from "../cli/output.ts";
import type { Table } from "./columns.ts";
import { openSqliteSource } from "./copy/from-sqlite.ts";
import type { TableTotals } from "./copy/tables.ts";
import {
  commandTimeouts,
  databaseOptionProblems,
  parseDatabaseUrl,
  type StoreSettings,
} from "./settings.ts";
import { untilUnlocked } from "./sqlite/lock-file.ts";
import { type BackUp, migrateSqlite } from "./sqlite/open.ts";

export interface StoreCommandDeps extends CommandIo {
  /** @throws {ConfigError} */
  readonly settings: () => StoreSettings;
  /** What `kurs store copy` copies, each table after those that it references. */
  readonly tables: readonly Table[];
  readonly backUpBeforeMigration: BackUp;
}

/** Adds `kurs migrate` and `kurs store …`. */
export function storeCommands(program: Command, deps: StoreCommandDeps): void {
  program
    .command("migrate")
    .description("migrate the store to this program's schema; a server does so at startup")
    .addHelpText("after", "\nExample:\n  $ DATABASE_URL=postgres://localhost/kurs kurs migrate")
    .action(() => migrate(deps));

  program
    .command("store")
    .description("move the whole store")
    .addHelpText("after", copyExample)
    .command("copy")
    .description("copy all of an embedded database into an empty PostgreSQL database")
    .option("--from <source>", "sqlite:PATH of a data directory or file (default: DATA_DIR)")
    .option("--to <target>", "postgres://… (default: DATABASE_URL, which ps does not show)")
    .addHelpText("after", copyExample)
    .action((options: CopyOptions) => copy(deps, options));
}

const copyExample = `
Stop the server first. The source stays as it is.

Example:
  $ kurs store copy --from sqlite:./data --to postgres://kurs@db.example.org/kurs`;

interface CopyOptions {
  readonly from?: string;
  readonly to?: string;
}

async function migrate(deps: StoreCommandDeps): Promise<void> {
  const { settings, backUpBeforeMigration: backUp, print, printError } = deps;
  const { dataDirectory, database, backupDirectory } = settings();
  const { from, to } =
    database.engine === "postgres"
      ? await (await import("./postgres/open.ts")).migratePostgresStore(database.hosts)
      : await untilUnlocked(
          () => {
            const { busyTimeoutMs } = commandTimeouts;
            return migrateSqlite(dataDirectory, busyTimeoutMs, { backUp, backupDirectory });
          },
          (message) => printError(`kurs: ${message}`),
        );
  print(
    from === to ? `the schema is ${to}: nothing to do` : `the schema was ${from} and is now ${to}`,
  );
}

async function copy(deps: StoreCommandDeps, { from, to }: CopyOptions): Promise<void> {
  const { settings, tables, print, showProgress } = deps;
  const path = /^sqlite:(.+)$/.exec(from ?? "")?.[1];
  if (from !== undefined && path === undefined) {
    throw new CommandError(`--from ${from}: must be sqlite: and a path, such as sqlite:./data`, 2);
  }
  const { dataDirectory, database } = settings();
  const configured = database.engine === "postgres" ? database.hosts : undefined;
  const hosts = to === undefined ? configured : parseDatabaseUrl(to);
  const problems = databaseOptionProblems(to ?? "");
  if (hosts === undefined) problems.push("must be an address such as postgres://localhost/kurs");
  if (hosts === undefined || problems.length > 0) {
    throw new CommandError(`--to or DATABASE_URL: ${problems.join("; ")}`, 2);
  }
  const { copyToPostgres } = await import("./copy/to-postgres.ts");
  using source = openSqliteSource(path ?? dataDirectory, tables);
  const report = await copyToPostgres(source, hosts, (name, copied, total) =>
    showProgress(`${progressBar(total === 0 ? 1 : copied / total)} ${name}`),
  );
  const columns: readonly Column<[string, TableTotals]>[] = [
    ["TABLE", ([name]) => name],
    ["ROWS", ([, { rows }]) => rows, "right"],
    ["SUM", ([, { units }]) => units, "right"],
  ];
  print(table(columns, [...report]));
  print("copied and compared: counts and sums agree");
}
