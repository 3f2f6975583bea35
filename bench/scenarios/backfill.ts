import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { ecbHistory, madeUpFigures, ofEuro, targetDays } from "../../harness/archives.ts";
import { playPublishers } from "../../harness/publishers.ts";
import { FILE_NAME } from "../../src/platform/storage/sqlite/database-file.ts";
import { duringLoad, measureCommand } from "../commands.ts";
import { measureInTurn } from "../comparison.ts";
import { ratioOf, type Table } from "../figures.ts";
import type { Scenario } from "../scenario.ts";
import { fillStoreOf, kursTarget, smallCounts, startFilledKurs } from "../stores/kurs.ts";

const FROM = "2001-03-14";
const TO = "2026-03-13";
const MIB = 1024 * 1024;
const POLL_MS = 50;

const ALONE = "reads alone";
const DURING = "reads during a backfill";

export const backfill: Scenario = {
  name: "backfill",
  summary: "kurs rates backfill of 25 years of the ECB, alone and during reads",
  async run(bench) {
    const days = targetDays(FROM, TO);
    let seed = 0;
    // The figures of each request differ from those before: all of them are stored again.
    const archive = bench.cleanup.use(
      await playPublishers((_address, response) => {
        seed += 1;
        response.end(ecbHistory(madeUpFigures(days, ofEuro, seed)));
      }),
    );
    const count = madeUpFigures(days, ofEuro).length;
    const run = (dataDirectory: string) => {
      const args = ["rates", "backfill", "ecb", "--from", FROM, "--to", TO];
      return measureCommand(bench, args, dataDirectory, count, archive.env);
    };
    const rows = await measureInTurn(bench, {
      async alone(round) {
        const directory = join(bench.directory, `alone-${round}`);
        await fillStoreOf(bench, directory, smallCounts(bench));
        const before = sizeOf(directory);
        const figures = await run(directory);
        return { ...figures, databaseMib: sizeOf(directory) - before };
      },
    });
    const kurs = await startFilledKurs(bench, "data");
    const { tables, failures } = await bench.compare({
      connections: [64],
      targets: [
        kursTarget(ALONE, kurs),
        {
          ...kursTarget(DURING, kurs),
          startBackground: async () => {
            const before = figuresIn(kurs.dataDirectory);
            const work = duringLoad(run(kurs.dataDirectory), "it ended before the load");
            while (figuresIn(kurs.dataDirectory) === before) await sleep(POLL_MS);
            return work;
          },
        },
      ],
    });
    const title = `${bench.options.rounds} backfills of ${count} figures of ${days.length} dates: medians`;
    return { tables: [{ title, rows }, ...tables.map(withP99Ratio)], failures };
  },
};

function sizeOf(directory: string): number {
  return statSync(join(directory, FILE_NAME)).size / MIB;
}

/** The figures that are committed so far. */
function figuresIn(directory: string): unknown {
  using database = new DatabaseSync(join(directory, FILE_NAME), { readOnly: true });
  return database.prepare("SELECT count(*) AS figures FROM figures").get()?.figures;
}

function withP99Ratio(table: Table): Table {
  const ratio = ratioOf(table.rows, "p99Ms", DURING, ALONE);
  if (ratio === undefined) return table;
  const note = `p99 of ${DURING} : ${ALONE} = ${ratio.toFixed(2)}; the goal is at most 1.5`;
  return { ...table, notes: [...(table.notes ?? []), note] };
}
