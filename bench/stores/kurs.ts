import { join } from "node:path";
import type { LoadRequest, SlotCounts } from "../load/requests.ts";
import { restRead } from "../load/requests.ts";
import type { Contestant } from "../round.ts";
import type { Bench } from "../scenario.ts";
import { type RunningServer, startKurs } from "../servers.ts";
import { booksOf, type UnitsCharged } from "./charged-units.ts";
import { fillStore } from "./fill.ts";

/** Kurs on a filled store. */
export interface FilledKurs {
  readonly server: RunningServer;
  readonly counts: SlotCounts;
  readonly dataDirectory: string;
  readonly unitsCharged: UnitsCharged;
}

/** About as many pairs as the bundled snapshot has. */
const SMALL_PAIRS = 240;

/** The store that is meant where no other is named. */
export function smallCounts({ options }: Pick<Bench, "options">): SlotCounts {
  return { accounts: options.accounts, pairs: SMALL_PAIRS };
}

export const MILLION: SlotCounts = { accounts: 1_000_000, pairs: 100_000 };

/** Fills a store, the small one unless said, and starts Kurs on it. */
export async function startFilledKurs(
  bench: Bench,
  name: string,
  counts = smallCounts(bench),
  environment: Readonly<Record<string, string>> = {},
): Promise<FilledKurs> {
  const dataDirectory = join(bench.directory, name);
  await fillStore(dataDirectory, counts);
  const server = bench.cleanup.use(await startKurs(dataDirectory, environment));
  return { server, counts, dataDirectory, unitsCharged: booksOf(dataDirectory) };
}

/** A contestant that reads over all accounts and pairs of a store, and is charged for each. */
export function readsOf(
  name: string,
  { server, counts, unitsCharged }: FilledKurs,
  request: LoadRequest = restRead,
): Contestant {
  const charges = { unitsCharged, unitsAnAnswer: 1 } as const;
  return { name, servers: [server], request, counts, charges };
}
