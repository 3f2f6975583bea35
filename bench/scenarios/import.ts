import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { duringLoad, measureCommand } from "../commands.ts";
import { compare } from "../comparison.ts";
import { type Figures, rowOf } from "../figures.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { fillStore } from "../stores/fill.ts";
import { kursTarget, smallCounts, startFilledKurs } from "../stores/kurs.ts";

const PAIRS = 10_000;

export const importing: Scenario = {
  name: "import",
  summary: "kurs rates import of a million lines, alone and during reads",
  async run(bench) {
    const files = ratesFiles(bench);
    const alone: Figures[] = [];
    for (let round = 1; round <= bench.options.rounds; round += 1) {
      const directory = join(bench.directory, `alone-${round}`);
      await fillStore(directory, smallCounts(bench));
      alone.push(await importOf(await files.next(), directory, bench));
    }
    const kurs = await startFilledKurs(bench, "data");
    const { tables, failures } = await compare(bench, {
      connections: [64],
      targets: [
        kursTarget("reads alone", kurs),
        {
          ...kursTarget("reads during an import", kurs),
          startBackground: async () => {
            const file = await files.next();
            const hint = "the import ended before the load: use more --lines";
            return duringLoad(importOf(file, kurs.dataDirectory, bench), hint);
          },
        },
      ],
    });
    const row = rowOf("alone", alone);
    const title = `${alone.length} imports of ${bench.options.lines} lines: medians`;
    return { tables: [{ title, rows: [row], notes: [] }, ...tables], failures };
  },
};

/** Writes files one after the other, each with newer rates than the one before. */
function ratesFiles({ directory, options }: Bench) {
  let files = 0;
  return {
    async next(): Promise<string> {
      files += 1;
      const file = join(directory, `rates-${files}.csv`);
      await writeLines(file, options.lines, Date.UTC(2026, 2, 14, files));
      return file;
    },
  };
}

function importOf(file: string, dataDirectory: string, { options }: Bench): Promise<Figures> {
  return measureCommand(["rates", "import", file, "--json"], dataDirectory, options.lines);
}

/** Repeats 10,000 pairs, each time a second newer. */
async function writeLines(path: string, lines: number, startMs: number): Promise<void> {
  const out = createWriteStream(path);
  out.write("base,quote,rate,as_of\n");
  for (let line = 0; line < lines; line += 1) {
    const pair = String(line % PAIRS).padStart(4, "0");
    const asOf = new Date(startMs + Math.floor(line / PAIRS) * 1000).toISOString();
    const text = `X${pair},USD,1.${String(line).padStart(6, "0")},${asOf}\n`;
    if (!out.write(text)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}
