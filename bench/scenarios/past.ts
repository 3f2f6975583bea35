import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FILE_NAME } from "../../src/platform/storage/sqlite/database-file.ts";
import { pastRead, TIMES } from "../load/requests.ts";
import type { Scenario } from "../scenario.ts";
import { startKurs } from "../servers.ts";
import { sqliteUnits } from "../stores/charged-units.ts";
import { fillStoreOf, kursTarget } from "../stores/kurs.ts";

/** With 6,500 working days of 25 years each: 5 million figures, as of ten publishers. */
const PAIRS = 770;

const ADD_FIGURES = `
  WITH RECURSIVE days (day) AS (
    SELECT date(${TIMES.from}, 'unixepoch', '-7 days')
    UNION ALL SELECT date(day, '+1 day') FROM days WHERE day < date(${TIMES.to}, 'unixepoch')
  )
  INSERT INTO figures (source, base, quote, kind, date, as_of, revision, rate, stored_at, publication)
  SELECT 'ecb', base, quote, 'middle', day, day || 'T15:00:00.000000000Z', 1, rate,
    day || 'T15:05:00.000Z', 1
  FROM rates CROSS JOIN days WHERE strftime('%w', day) BETWEEN '1' AND '5' ORDER BY base, day`;

export const past: Scenario = {
  name: "past",
  summary:
    "reads of random times in 25 years, 5 million figures, compared with reads of the newest",
  async run(bench) {
    const dataDirectory = join(bench.directory, "data");
    const counts = { accounts: bench.options.accounts, pairs: PAIRS };
    await fillStoreOf(bench, dataDirectory, counts);
    bench.print("adding 25 years of figures …");
    addFigures(dataDirectory);
    const server = bench.cleanup.use(await startKurs(bench, dataDirectory));
    const kurs = { server, counts, dataDirectory, unitsCharged: sqliteUnits(dataDirectory) };
    return bench.compare({
      connections: [64],
      targets: [kursTarget("newest", kurs), kursTarget("past", kurs, pastRead)],
      ratios: [["past", "newest"]],
    });
  },
};

function addFigures(dataDirectory: string): void {
  using database = new DatabaseSync(join(dataDirectory, FILE_NAME));
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN");
  database.exec("UPDATE rates SET source = 'ecb'");
  database.exec(ADD_FIGURES);
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
}
