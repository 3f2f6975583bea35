import { spawn, spawnSync } from "node:child_process";
import { createWriteStream, existsSync, globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { COMPILE_CACHE } from "../test/support/compile-cache.ts";
import { processorSeconds } from "../test/support/processor-seconds.ts";
import { type Trial, trials } from "./list.ts";

// Runs what needs real time, load, kills or other people's programs, and prints one table at its end:
//   npm run trials                                 all of them, half an hour on two cores
//   npm run trials -- nodes torture                some
//   npm run trials -- torture --engine postgres    one with options of its own program
//   npm run trials -- list                         what there is

const ROOT = join(import.meta.dirname, "..");

const isOption = (arg: string) => arg.startsWith("-");
const args = process.argv.slice(2);
const optionsAt = args.findIndex(isOption);
const names = optionsAt < 0 ? args : args.slice(0, optionsAt);
const options = optionsAt < 0 ? [] : args.slice(optionsAt);

process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
// `npm run trials` has bundled it, as `npm test` does.
process.env.KURS_TEST_MAIN = join(ROOT, "dist/bundle/main.js");
const logs = mkdtempSync(join(tmpdir(), "kurs-trials-"));
const rows: (readonly string[])[] = [];
if (names[0] === "list") {
  for (const { name, about } of trials) console.log(`${name.padEnd(12)}${about}`);
} else {
  const unknown = names.find((name) => trials.every((trial) => trial.name !== name));
  if (unknown !== undefined || (options.length > 0 && names.length !== 1)) {
    const known = trials.map(({ name }) => name).join(", ");
    console.error(`trials: name some of ${known}; options belong to one trial`);
    process.exit(2);
  }
  const wanted = trials.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const trial of wanted) rows.push(await run(trial));
  printTable();
}

function printTable(): void {
  const heads = ["trial", "result", "seconds", "CPU seconds", "what it tries"];
  for (const cells of [heads, heads.map(() => "---"), ...rows]) {
    console.log(`| ${cells.join(" | ")} |`);
  }
  console.log(`\nWhat they printed: ${logs}`);
}

/** The Debian packages of programs that a trial needs and this machine lacks. */
function missing({ needs = {} }: Trial): readonly string[] {
  const isThere = (program: string) =>
    program.startsWith("/")
      ? existsSync(program)
      : spawnSync("sh", ["-c", `command -v "$0"`, program]).status === 0;
  return Object.entries(needs).flatMap(([program, name]) => (isThere(program) ? [] : [name]));
}

/** @returns the row of the table. */
async function run(trial: Trial): Promise<readonly string[]> {
  const { name, about, commands } = trial;
  const lacking = missing(trial);
  if (lacking.length > 0) {
    return [name, `not run: apt-get install ${lacking.join(" ")}`, "", "", about];
  }
  console.error(`${name} …`);
  const [startedMs, startedCpu] = [performance.now(), processorSeconds()];
  const log = join(logs, `${name}.log`);
  const output = createWriteStream(log);
  let failed = 0;
  const [first] = commands;
  const withOptions = first && [{ ...first, args: [...first.args.slice(0, 1), ...options] }];
  for (const { args, env } of options.length > 0 ? (withOptions ?? []) : commands) {
    const files = args.flatMap((arg) => (arg.includes("*") ? globSync(arg, { cwd: ROOT }) : [arg]));
    output.write(`\n$ node ${files.join(" ")}\n`);
    const child = spawn(process.execPath, files, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.pipe(output, { end: false });
    child.stderr.pipe(output, { end: false });
    if (names.length === 1) {
      child.stdout.pipe(process.stdout, { end: false });
      child.stderr.pipe(process.stderr, { end: false });
    }
    const [exitCode] = await new Promise<[number | null]>((resolve, reject) => {
      child.once("error", reject).once("close", (code: number | null) => resolve([code]));
    });
    if (exitCode !== 0) failed += 1;
  }
  await finished(output.end());
  const seconds = (performance.now() - startedMs) / 1000;
  const cpu = processorSeconds() - startedCpu;
  const printed = readFileSync(log, "utf8");
  if (failed > 0) {
    process.exitCode = 1;
    if (names.length !== 1) console.error(printed.split("\n").slice(-60).join("\n"));
  }
  const skipped = [...printed.matchAll(/^ *﹣ .* # (.+)$/gm)].map(([, reason]) => `; ${reason}`);
  const result = (failed === 0 ? "holds" : "FAILED") + [...new Set(skipped)].join("");
  return [name, result, seconds.toFixed(0), cpu.toFixed(0), about];
}
