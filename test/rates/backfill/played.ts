import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import {
  type ArchivedFigure,
  cnbYear,
  ecbHistory,
  madeUpFigures,
  nbpTables,
  ofEuro,
  targetDays,
} from "../../../harness/archives.ts";
import { playPublishers } from "../../../harness/publishers.ts";
import { databaseIn } from "../../platform/storage/stored.ts";
import { kurs, Program, temporaryDirectory } from "../../support/process.ts";

export const FROM = "2023-10-01";
export const TO = "2025-03-31";
export const DATES = ["--from", FROM, "--to", TO];

const days = targetDays(FROM, TO);

/** The figures of eighteen months: what the archives have, unless a test changes it. */
export const archived = {
  ecb: madeUpFigures(days, ofEuro),
  cnb: madeUpFigures(days, (base) => ({ base, quote: "CZK" }), 2),
  nbp: madeUpFigures(days, (base) => ({ base, quote: "PLN" }), 3),
};

type Archived = Readonly<Record<keyof typeof archived, readonly ArchivedFigure[]>>;

/** What a test does with a request instead of the usual response; false: the usual one. */
type Interfere = (address: URL, response: ServerResponse) => boolean;

/** Plays the archives of the ECB, CNB and NBP; a test can interfere. */
export async function playArchives(figures: Archived = archived) {
  let interfere: Interfere = () => false;
  const played = await playPublishers((address, response) => {
    if (interfere(address, response)) return;
    const text = documentAt(address, figures);
    if (text === undefined) response.writeHead(404).end("404 NotFound");
    else response.end(text);
  });
  return {
    ...played,
    /** The paths and queries requested since the last call. */
    takeRequests: () => played.requests.splice(0).map(({ pathname, search }) => pathname + search),
    interfere(next: Interfere): void {
      interfere = next;
    },
  };
}

function documentAt({ host, pathname, searchParams }: URL, figures: Archived) {
  switch (host) {
    case "www.ecb.europa.eu":
      return ecbHistory(figures.ecb);
    case "api.cnb.cz":
      return cnbYear(figures.cnb, searchParams.get("year") ?? "");
    case "api.nbp.pl": {
      const [, table = "", from = "", to = ""] = /tables\/(.)\/(.*?)\/(.*?)\//.exec(pathname) ?? [];
      // Table B is a weekly one: half of the currencies, on Wednesdays.
      const some = figures.nbp.filter(
        ({ base, date }) => (table === "B") === base > "M" && (table === "A" || isWednesday(date)),
      );
      return nbpTables(some, table, { from, to });
    }
    default:
      throw new Error(`no archive of ${host}`);
  }
}

export const isWednesday = (date: string) => Temporal.PlainDate.from(date).dayOfWeek === 3;

export const BACKFILL = ["rates", "backfill", "cnb", ...DATES];
export const yearAt = (year: number) => `/cnbapi/exrates/daily-year?year=${year}&lang=EN`;

/** An empty store beside the played archives. */
export async function newArchivedStore() {
  await using starting = new AsyncDisposableStack();
  const archives = starting.use(await playArchives());
  const directory = starting.use(await temporaryDirectory());
  const at = { dataDirectory: directory.path, env: archives.env };
  await kurs(["migrate"], at);
  const disposable = starting.move();
  return {
    archives,
    at,
    /** Starts a backfill and waits until it requests the second of the three years. */
    async startUntilSecondYear(): Promise<Program> {
      const asked = Promise.withResolvers<void>();
      archives.interfere(({ search }) => {
        if (!search.includes("year=2024")) return false;
        asked.resolve();
        return true;
      });
      const program = new Program(BACKFILL, at);
      await Promise.race([asked.promise, program.ended]);
      archives.interfere(() => false);
      assert.deepEqual(archives.takeRequests(), [yearAt(2023), yearAt(2024)]);
      return program;
    },
    stored: (source = "cnb") => storedFigures(directory.path, source),
    assertStored: (wanted: readonly string[], source = "cnb") =>
      assertStored(directory.path, source, wanted),
    [Symbol.asyncDispose]: () => disposable.disposeAsync(),
  };
}

/** A figure as text, for comparisons. */
export const textOf = ({ date, base, quote, rate }: ArchivedFigure) =>
  `${date} ${base}/${quote} ${rate}`;

/** The figures of a source in a store's series within the dates, and how many revisions there are. */
export function storedFigures(dataDirectory: string, source: string): readonly string[] {
  const rows = rowsOf(
    dataDirectory,
    `SELECT date, base, quote, rate, revision FROM figures
     WHERE source = '${source}' AND kind = 'middle' AND date BETWEEN '${FROM}' AND '${TO}'`,
  );
  return rows.map((row) => {
    const { date, base, quote, rate, revision } = row;
    return `${date} ${base}/${quote} ${rate}${revision === 1 ? "" : ` revision ${revision}`}`;
  });
}

/** Asserts that a source's series have these figures, each once; a failure shows a few of them. */
export function assertStored(
  dataDirectory: string,
  source: string,
  wanted: readonly string[],
): void {
  const stored = storedFigures(dataDirectory, source);
  const [isStored, isWanted] = [new Set(stored), new Set(wanted)];
  assert.deepEqual(
    {
      missing: wanted.filter((text) => !isStored.has(text)).slice(0, 3),
      unwanted: stored.filter((text) => !isWanted.has(text)).slice(0, 3),
      count: stored.length,
    },
    { missing: [], unwanted: [], count: wanted.length },
  );
}

/** Everything that decides what is served. */
export function servedTables(dataDirectory: string): readonly unknown[] {
  return ["rates", "observations", "held_rates"].map((table) =>
    rowsOf(dataDirectory, `SELECT * FROM ${table} ORDER BY 1, 2`),
  );
}

export function rowsOf(dataDirectory: string, sql: string) {
  using database = new DatabaseSync(databaseIn(dataDirectory), { readOnly: true });
  return database.prepare(sql).all() as Readonly<Record<string, unknown>>[];
}
