import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { FILE_NAME } from "../../src/platform/storage/sqlite/database-file.ts";
import { type LoadRequest, restRead, type SlotCounts } from "../load/requests.ts";
import type { Target } from "../round.ts";
import type { Bench } from "../scenario.ts";
import { type RunningServer, startKurs } from "../servers.ts";
import { sqliteUnits, type UnitsCharged } from "./charged-units.ts";
import type { fillStore } from "./fill.ts";

/** Kurs on a filled store. */
export interface FilledKurs {
  readonly server: RunningServer;
  readonly counts: SlotCounts;
  readonly dataDirectory: string;
  readonly unitsCharged: UnitsCharged;
}

/** About the number of pairs in the bundled snapshot. */
const SMALL_PAIRS = 240;

/** The size of the small store, which is the default. */
export function smallCounts({ options }: Pick<Bench, "options">): SlotCounts {
  return { accounts: options.accounts, pairs: SMALL_PAIRS };
}

export const MILLION: SlotCounts = { accounts: 1_000_000, pairs: 100_000 };

/** Fills a store as the measured version of Kurs lays it out. */
export async function fillStoreOf(
  { root }: Pick<Bench, "root">,
  directory: string,
  counts: SlotCounts,
): Promise<void> {
  const url = pathToFileURL(join(root, "bench/stores/fill.ts")).href;
  const version = (await import(url)) as { readonly fillStore: typeof fillStore };
  await version.fillStore(directory, counts);
}

export interface FillSettings {
  /** The size of the store; by default it is the small one. */
  readonly counts?: SlotCounts;
  readonly environment?: Readonly<Record<string, string>>;
  /** Change the filled store before Kurs starts on it. */
  readonly statements?: readonly string[];
}

/** Fills a store and starts Kurs on it. */
export async function startFilledKurs(
  bench: Bench,
  name: string,
  { counts = smallCounts(bench), environment = {}, statements = [] }: FillSettings = {},
): Promise<FilledKurs> {
  const dataDirectory = join(bench.directory, name);
  await fillStoreOf(bench, dataDirectory, counts);
  {
    using database = new DatabaseSync(join(dataDirectory, FILE_NAME));
    for (const statement of statements) database.exec(statement);
  }
  const server = bench.cleanup.use(await startKurs(bench, dataDirectory, environment));
  return { server, counts, dataDirectory, unitsCharged: sqliteUnits(dataDirectory) };
}

/** A target whose requests go over all accounts and pairs of a store; by default metered reads. */
export function kursTarget(
  name: string,
  { server, counts, unitsCharged }: FilledKurs,
  request: LoadRequest = restRead,
  unitsPerResponse: 0 | 1 = 1,
): Target {
  const charges = { unitsCharged, unitsPerResponse };
  return { name, servers: [server], request, counts, charges };
}
