import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { compare } from "../comparison.ts";
import { type Figures, rowOf } from "../figures.ts";
import { peakMib } from "../processes.ts";
import type { BackgroundWork } from "../round.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { ROOT } from "../servers.ts";
import { fillStore } from "../stores/fill.ts";
import { kursTarget, smallCounts, startFilledKurs } from "../stores/kurs.ts";

const PAIRS = 10_000;
const WATCH_MS = 200;

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
            return importDuringLoad(importOf(file, kurs.dataDirectory, bench));
          },
        },
      ],
    });
    const row = rowOf("alone", alone);
    const title = `${alone.length} imports of ${bench.options.lines} lines: medians`;
    return { tables: [{ title, rows: [row], notes: [] }, ...tables], failures };
  },
};

/** An import that must last longer than the load: otherwise a part of the load ran without it. */
function importDuringLoad(figures: Promise<Figures>): BackgroundWork {
  let importing = true;
  const ended = figures.finally(() => {
    importing = false;
  });
  // A failed import is reported by end(), not as an unhandled rejection.
  ended.catch(() => {});
  return {
    async end() {
      const wasImporting = importing;
      const figures = await ended;
      if (!wasImporting) throw new Error("the import ended before the load: use more --lines");
      return figures;
    },
  };
}

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

async function importOf(file: string, dataDirectory: string, { options }: Bench): Promise<Figures> {
  const startedMs = performance.now();
  const args = ["src/main.ts", "rates", "import", file, "--json"];
  const env = { PATH: process.env.PATH, DATA_DIR: dataDirectory, RATE_SOURCES: "" };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: "ignore" });
  const peak = await peakUntilExit(child);
  if (child.exitCode !== 0) throw new Error(`the import exited with ${child.exitCode}`);
  const seconds = (performance.now() - startedMs) / 1000;
  return { linesPerSecond: options.lines / seconds, peakMib: peak };
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

async function peakUntilExit(child: ChildProcess): Promise<number | undefined> {
  let peak: number | undefined;
  const watch = setInterval(async () => {
    peak = (await peakMib(child.pid ?? 0)) ?? peak;
  }, WATCH_MS);
  await once(child, "exit");
  clearInterval(watch);
  return peak;
}
