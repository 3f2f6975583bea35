import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { hold } from "../comparison.ts";
import { type Figures, rowOf } from "../figures.ts";
import { peakMib } from "../processes.ts";
import type { Company } from "../round.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { ROOT } from "../servers.ts";
import { fillStore } from "../stores/fill.ts";
import { readsOf, smallCounts, startFilledKurs } from "../stores/kurs.ts";

const PAIRS = 10_000;
const WATCH_MS = 200;

export const importing: Scenario = {
  name: "import",
  summary: "kurs rates import of a million lines: alone, then beside reads",
  async run(bench) {
    const files = ratesFiles(bench);
    const alone: Figures[] = [];
    for (let round = 1; round <= bench.options.rounds; round += 1) {
      const directory = join(bench.directory, `alone-${round}`);
      await fillStore(directory, smallCounts(bench));
      alone.push(await importOf(await files.next(), directory, bench));
    }
    const kurs = await startFilledKurs(bench, "data");
    const { tables, failures } = await hold(bench, {
      connections: [64],
      contestants: [
        readsOf("reads alone", kurs),
        {
          ...readsOf("reads beside it", kurs),
          company: async () => {
            const file = await files.next();
            return importBeside(importOf(file, kurs.dataDirectory, bench));
          },
        },
      ],
    });
    const row = rowOf("alone", alone);
    const title = `import of ${bench.options.lines} lines, ${alone.length} times, medians`;
    return { tables: [{ title, rows: [row], notes: [] }, ...tables], failures };
  },
};

/** An import that must outlast the load, or else the load was partly without it. */
function importBeside(figures: Promise<Figures>): Company {
  let importing = true;
  const ended = figures.finally(() => {
    importing = false;
  });
  // An import that fails is told at the end, not by ending this process.
  ended.catch(() => {});
  return {
    async end() {
      const wasImporting = importing;
      const figures = await ended;
      if (!wasImporting) throw new Error("the import ended before the load: give more --lines");
      return figures;
    },
  };
}

/** Writes one file after the other, each with rates that are newer than the last one's. */
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

async function importOf(file: string, dataDirectory: string, { options }: Bench): Promise<Figures> {
  const startedMs = performance.now();
  const args = ["src/main.ts", "rates", "import", file, "--json"];
  const env = { PATH: process.env.PATH, DATA_DIR: dataDirectory, RATE_SOURCES: "" };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: "ignore" });
  const peak = await peakUntilExit(child);
  if (child.exitCode !== 0) throw new Error(`the import ended with ${child.exitCode}`);
  const seconds = (performance.now() - startedMs) / 1000;
  return { linesPerSecond: options.lines / seconds, peakMib: peak };
}

/** 10,000 pairs over and over, each time a second newer. */
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

async function peakUntilExit(child: ChildProcess): Promise<number | undefined> {
  let peak: number | undefined;
  const watch = setInterval(async () => {
    peak = (await peakMib(child.pid ?? 0)) ?? peak;
  }, WATCH_MS);
  await once(child, "exit");
  clearInterval(watch);
  return peak;
}
