import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ArchivedFigure } from "../../harness/archives.ts";
import { seededRandom } from "../../harness/seeded-random.ts";
import { createCommandStore } from "../../src/app/command-store.ts";
import { openSqlite } from "../../src/app/store.ts";
import { findServedAt } from "../../src/bookkeeping/provenance/served-at.ts";
import { FILE_NAME } from "../../src/platform/storage/sqlite/database-file.ts";
import type { AssetSymbol } from "../../src/rates/served/rules/symbol.ts";
import { sourceNames } from "../../src/rates/sources/fetching/registry.ts";
import { type Figures, rowOf } from "../figures.ts";
import { createFeed } from "../publications/feed.ts";
import {
  exchangeBodies,
  layouts,
  snapshotFigures,
  type TableFigures,
} from "../publications/layouts.ts";
import type { Scenario } from "../scenario.ts";
import { ROOT } from "../servers.ts";

const START_MS = Date.UTC(2025, 2, 31);
const DAY_MS = 86_400_000;
const WEDNESDAY = 3;

/** About as many pairs as a large exchange lists. */
const EXCHANGE_PAIRS = 1200;
const EXCHANGE_EVERY_SECONDS = 30;
const EXCHANGE_FETCHES = 20;

const MIB = 1024 * 1024;
const BUSY_TIMEOUT_MS = 5000;

export const history: Scenario = {
  name: "history",
  summary: "the size of a year's history of the default sources, and the time to read it",
  async run({ root, directory, options, print }) {
    // Its modules feed and read the store without a process, so they are this version's.
    if (root !== ROOT) return { tables: [], failures: [] };
    print("feeding a year of the default sources …");
    const year = join(directory, "year");
    await feedYear(year);
    const exchange = join(directory, "exchange");
    await feedExchange(exchange);
    const fetchesPerDay = 86_400 / EXCHANGE_EVERY_SECONDS;
    const rows = [
      rowOf("a year", [...sizesOf(year), ...(await readsOf(year, options.calls))]),
      rowOf(
        `exchange, a day of ${fetchesPerDay}`,
        scaled(exchange, fetchesPerDay / EXCHANGE_FETCHES),
      ),
    ];
    const note =
      `The exchange has ${EXCHANGE_PAIRS} pairs that all change; ${EXCHANGE_FETCHES} fetches of it ` +
      "were stored.";
    return {
      tables: [{ title: "The history of rates on SQLite", rows, notes: [note] }],
      failures: [],
    };
  },
};

async function feedYear(directory: string): Promise<void> {
  await using store = createCommandStore(openSqlite(directory, BUSY_TIMEOUT_MS));
  const feed = createFeed(store, sourceNames.onByDefault);
  const figures = snapshotFigures();
  for (let day = 0; day < 365; day += 1) {
    const startMs = START_MS + day * DAY_MS;
    for (const source of feed.sources) {
      const publishedMs = source.schedule.next(startMs);
      if (publishedMs >= startMs + DAY_MS) continue;
      const tables = figures.get(source.key) ?? [];
      await feed.fetchAt(source, publishedMs, () => {
        const wednesday = startMs - ((new Date(startMs).getUTCDay() + 7 - WEDNESDAY) % 7) * DAY_MS;
        const moved = tables.map((table, index) => move(table, index === 1 ? wednesday : startMs));
        return layouts[source.key]?.(moved, dayOf(startMs)) ?? [];
      });
    }
  }
}

const dayOf = (epochMs: number) => new Date(epochMs).toISOString().slice(0, 10);

/** Gives each figure other last digits for each day. */
function move(figures: TableFigures, dayMs: number): readonly ArchivedFigure[] {
  const random = seededRandom(dayMs / DAY_MS);
  const digit = () => String(Math.floor(random() * 10));
  return figures.map(([base, quote, figure]) => {
    const moved = figure.replace(/\d{1,2}$/, (end) => end.replaceAll(/\d/g, digit));
    return { date: dayOf(dayMs), base, quote, rate: moved.replace(/^[0.]+$/, figure) };
  });
}

async function feedExchange(directory: string): Promise<void> {
  await using store = createCommandStore(openSqlite(directory, BUSY_TIMEOUT_MS));
  const feed = createFeed(store, ["kraken"]);
  const [source] = feed.sources;
  if (source === undefined) throw new Error("no exchange");
  const random = seededRandom(2);
  for (let fetch = 0; fetch < EXCHANGE_FETCHES; fetch += 1) {
    const atMs = START_MS + fetch * EXCHANGE_EVERY_SECONDS * 1000;
    await feed.fetchAt(source, atMs, () => exchangeBodies(EXCHANGE_PAIRS, random));
  }
}

function opened(directory: string): DatabaseSync {
  const database = new DatabaseSync(join(directory, FILE_NAME));
  database.exec("PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  return database;
}

function sizesOf(directory: string) {
  using database = opened(directory);
  const bytesOf = (tables: string) =>
    Number(
      database.prepare(`SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN (${tables})`).get()
        ?.bytes,
    );
  const observations = Number(
    database.prepare("SELECT count(*) AS count FROM observations").get()?.count,
  );
  return [
    {
      databaseMib: statSync(join(directory, FILE_NAME)).size / MIB,
      documentsMib: bytesOf("'documents', 'sqlite_autoindex_documents_1'") / MIB,
      observationsMib: bytesOf("'observations', 'observations_by_publication'") / MIB,
      observations,
    },
  ];
}

/** The sizes of a day, from those of some fetches. */
function scaled(directory: string, factor: number) {
  return sizesOf(directory).map((figures) =>
    Object.fromEntries(
      Object.entries(figures)
        .filter(([name]) => name !== "databaseMib")
        .map(([name, value]) => [name, value * factor]),
    ),
  );
}

const PAIR = { base: "EUR" as AssetSymbol, quote: "USD" as AssetSymbol };
const EVERY = { after: 0, limit: 1000, from: undefined, to: undefined };
const MOMENT = "2025-09-30T00:00:00.000Z";

/** Times what `kurs rates history` and `kurs rates at` read, without starting their process. */
async function readsOf(directory: string, calls: number): Promise<Figures[]> {
  await using store = createCommandStore(openSqlite(directory, BUSY_TIMEOUT_MS));
  const figures: Figures[] = [];
  for (let call = 0; call < calls; call += 1) {
    const startedMs = performance.now();
    const observations = await store.history.observations(PAIR, EVERY);
    const readMs = performance.now();
    const served = await findServedAt(store, PAIR, MOMENT);
    const momentMs = performance.now() - readMs;
    if (observations.length < 200 || served.status !== "served") throw new Error("no such history");
    figures.push({ historyMs: readMs - startedMs, momentMs });
  }
  return figures;
}
