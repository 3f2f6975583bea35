import type { Command } from "commander";
import type { CommandIo } from "../cli/command.ts";
import { CommandError } from "../cli/command.ts";
import { table } from "../cli/output.ts";
import { progressBar } from "../cli/progress-bar.ts";
import type { CopyProgress } from "./copy/to-postgres.ts";

export interface StoreCommandUses extends CommandIo {
  /** Migrates the configured store to the program's schema. @throws {StartupError} */
  readonly migrateStore: () => Promise<{ readonly from: number; readonly to: number }>;
  /**
   * Copies an embedded database into a PostgreSQL database.
   *
   * @param ends the databases; unset ones come from the configuration.
   * @returns rows and sums by table.
   * @throws {StartupError}
   */
  readonly copyStore: (
    ends: { readonly from: string | undefined; readonly to: string | undefined },
    onProgress: (progress: CopyProgress) => void,
  ) => Promise<ReadonlyMap<string, { readonly rows: number; readonly units: number }>>;
}

/** Adds `kurs store …` and `kurs migrate`. */
export function storeCommands(program: Command, uses: StoreCommandUses): void {
  program
    .command("migrate")
    .description("migrate the store to this program's schema; a server does so at startup")
    .addHelpText("after", "\nExample:\n  $ DATABASE_URL=postgres://localhost/kurs kurs migrate")
    .action(() => migrate(uses));

  const store = program
    .command("store")
    .description("move the whole store")
    .addHelpText("after", copyExample);

  store
    .command("copy")
    .description("copy all of an embedded database into an empty PostgreSQL database")
    .option("--from <source>", "sqlite:PATH of a data directory or file (default: DATA_DIR)")
    .option("--to <target>", "postgres://… (default: DATABASE_URL, which ps does not show)")
    .addHelpText("after", copyExample)
    .action((options: CopyOptions) => copy(uses, options));
}

const copyExample = `
Stop the server first: the copy misses units that it charges later.

Example:
  $ kurs store copy --from sqlite:./data --to postgres://kurs@db.example.org/kurs`;

interface CopyOptions {
  readonly from?: string;
  readonly to?: string;
}

async function migrate({ migrateStore, print }: StoreCommandUses): Promise<void> {
  const { from, to } = await migrateStore();
  print(
    from === to ? `the schema is ${to}: nothing to do` : `the schema was ${from} and is now ${to}`,
  );
}

async function copy(uses: StoreCommandUses, { from, to }: CopyOptions): Promise<void> {
  const { copyStore, print, showProgress } = uses;
  const path = /^sqlite:(.+)$/.exec(from ?? "")?.[1];
  if (from !== undefined && path === undefined) {
    throw new CommandError(`--from ${from}: want sqlite: and a path, such as sqlite:./data`, 2);
  }
  const report = await copyStore({ from: path, to }, ({ table: name, copied, total }) => {
    showProgress(`${progressBar(total === 0 ? 1 : copied / total)} ${name}`);
  });
  const columns = [
    { heading: "TABLE" },
    { heading: "ROWS", align: "right" },
    { heading: "SUM", align: "right" },
  ] as const;
  const rows = [...report].map(([name, sums]) => [name, String(sums.rows), String(sums.units)]);
  print(table(columns, rows));
  print("copied and compared: counts and sums agree");
}
