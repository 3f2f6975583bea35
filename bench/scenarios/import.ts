import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { duringLoad, measureCommand } from "../commands.ts";
import { measureInTurn } from "../comparison.ts";
import type { Figures } from "../figures.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { fillStoreOf, kursTarget, smallCounts, startFilledKurs } from "../stores/kurs.ts";

/** A history of many pairs changes more pages of the database than one of a few. */
const MANY_PAIRS = 10_000;
const FEW_PAIRS = 40;

export const importing: Scenario = {
  name: "import",
  summary: "kurs rates import of a million lines, alone and during reads",
  async run(bench) {
    const files = ratesFiles(bench);
    const importAlone = (pairs: number) => async (round: number) => {
      const directory = join(bench.directory, `alone-${pairs}-${round}`);
      await fillStoreOf(bench, directory, smallCounts(bench));
      return await importOf(await files.next(pairs), directory, bench);
    };
    const rows = await measureInTurn(bench, {
      [`${MANY_PAIRS} pairs, alone`]: importAlone(MANY_PAIRS),
      [`${FEW_PAIRS} pairs, alone`]: importAlone(FEW_PAIRS),
    });
    const kurs = await startFilledKurs(bench, "data");
    const { tables, failures } = await bench.compare({
      connections: [64],
      targets: [
        kursTarget("reads alone", kurs),
        {
          ...kursTarget("reads during an import", kurs),
          startBackground: async () => {
            const file = await files.next(MANY_PAIRS);
            const hint = "the import ended before the load: use more --lines";
            return duringLoad(importOf(file, kurs.dataDirectory, bench), hint);
          },
        },
      ],
    });
    const title = `${bench.options.rounds} imports of ${bench.options.lines} lines: medians`;
    return { tables: [{ title, rows }, ...tables], failures };
  },
};

/** Writes files one after the other, each with newer rates than the one before. */
function ratesFiles({ directory, options }: Bench) {
  let files = 0;
  return {
    async next(pairs: number): Promise<string> {
      files += 1;
      const file = join(directory, `rates-${files}.csv`);
      await writeLines(file, options.lines, pairs, Date.UTC(2026, 2, 14, files));
      return file;
    },
  };
}

function importOf(file: string, dataDirectory: string, bench: Bench): Promise<Figures> {
  return measureCommand(
    bench,
    ["rates", "import", file, "--json"],
    dataDirectory,
    bench.options.lines,
  );
}

/** Repeats the pairs, each time a second newer. */
async function writeLines(path: string, lines: number, pairs: number, startMs: number) {
  const out = createWriteStream(path);
  out.write("base,quote,rate,as_of\n");
  for (let line = 0; line < lines; line += 1) {
    const pair = String(line % pairs).padStart(4, "0");
    const asOf = new Date(startMs + Math.floor(line / pairs) * 1000).toISOString();
    const text = `X${pair},USD,1.${String(line).padStart(6, "0")},${asOf}\n`;
    if (!out.write(text)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}
