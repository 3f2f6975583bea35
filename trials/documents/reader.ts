import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { ROOT } from "../../test/architecture/tree.ts";
import { COMPILE_CACHE } from "../../test/support/compile-cache.ts";
import { type Block, commandsOf } from "./blocks.ts";
import { type Call, standIns } from "./stand-ins.ts";

/** The program of this checkout, as test/support/process.ts runs it. */
const MAIN = process.env.KURS_TEST_MAIN ?? join(ROOT, "src/app/main.ts");

/** Separates the output of blocks, and the parts of what stand-ins write down. */
const [RECORD, UNIT] = ["\x1e", "\x1f"];

/** The beginning of a path on the machine, which a reader has in a folder of the test. */
const MACHINE_PATH = /(?<=^|[\s=:@<>("'])\/(?=(?:etc|home|opt|path|root|run|srv|tmp|usr|var)\b)/gm;

/** What is in a pipe fails unseen: only the last program of one decides. */
const PROLOGUE = `exec 2>&1
command_not_found_handle() { echo "$1 is not there" >> "$FAILED"; return 127; }
`;

export interface Reading {
  /** For what the shell needs. */
  readonly directory: string;
  /** The blocks begin here. */
  readonly folder: string;
  readonly machine: string;
  readonly dataDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  /** What stands in the blocks for values of the reader, with the values of this one. */
  readonly values: Readonly<Record<string, string>>;
  /** The exit code of a block, by the beginning of its text, where it is not 0. */
  readonly exits: Readonly<Record<string, number>>;
}

/** What became of the blocks that ran. */
export interface Read {
  readonly exitCode: number | null;
  /** The output of each block that began; the last one ended, or failed. */
  readonly outputs: readonly string[];
  readonly calls: readonly Call[];
  /** A line for each command of `kurs` that failed, and for each program that is not there. */
  readonly failures: string;
}

/** Runs the blocks of a document one after the other in one shell, as somebody would paste them. */
export async function readBlocks(blocks: readonly Block[], reading: Reading): Promise<Read> {
  const { directory, folder, machine, dataDirectory, env, values, exits } = reading;
  const bin = join(directory, "bin");
  const calls = join(directory, "calls");
  const failures = join(directory, "failures");
  await mkdir(bin);
  await writePrograms(bin);
  const script = blocks.map((block) => {
    const begin = `printf '${RECORD}'`;
    const commands = replaceAll(commandsOf(block) ?? "", values).replaceAll(
      MACHINE_PATH,
      `${machine}/`,
    );
    const [, code = 0] =
      Object.entries(exits).find(([start]) => block.text.startsWith(start)) ?? [];
    if (code === 0) return `${begin}\n${commands}`;
    return `${begin}\nset +e\n${commands}[ $? -eq ${code} ] || exit 1\nset -e\n`;
  });
  const file = join(directory, "blocks.sh");
  // A terminal shows both streams.
  await writeFile(file, [PROLOGUE, ...script].join(""));
  // Blocks send nothing to the network.
  await writeFile(join(directory, ".curlrc"), "proxy = 127.0.0.1:9\nnoproxy = 127.0.0.1\n");
  const child = spawn("bash", ["-eu", file], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
      ...{ HOME: directory, TZ: "UTC", DATA_DIR: dataDirectory, RATE_SOURCES: "" },
      ...{ NODE: process.execPath, NODE_COMPILE_CACHE: COMPILE_CACHE, MAIN, BIN: bin },
      ...{ UNTIL_READY: join(import.meta.dirname, "until-ready.ts"), CALLS: calls },
      FAILED: failures,
      ...{ REAL_NPM: onPath("npm"), REAL_GIT: onPath("git"), REAL_CHOWN: onPath("chown") },
      // Nothing comes from a registry.
      ...{ npm_config_offline: "true", npm_config_update_notifier: "false" },
      ...env,
    },
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const stdout = await text(child.stdout);
  return {
    exitCode: await ended,
    outputs: stdout.split(RECORD).slice(1),
    calls: callsIn(await textOf(calls)),
    failures: await textOf(failures),
  };
}

const textOf = async (file: string) => (existsSync(file) ? await readFile(file, "utf8") : "");

function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((all, [from, to]) => all.replaceAll(from, to), text);
}

function callsIn(written: string): readonly Call[] {
  return written
    .split(RECORD)
    .slice(1)
    .map((call) => {
      const [program = "", directory = "", ...args] = call.split(UNIT);
      return { program, directory, args };
    });
}

function onPath(name: string): string {
  const places = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  const found = places.find((path) => existsSync(path));
  assert.ok(found !== undefined, `no ${name} on PATH`);
  return found;
}

/** `kurs`, and the stand-ins, each of which writes down its call first. */
async function writePrograms(bin: string): Promise<void> {
  const kurs = `case " $* " in
    *" serve "*) export PORT=0; "$NODE" "$UNTIL_READY" '"msg":"listening"' "$NODE" "$MAIN" "$@" ;;
    *" --follow "*) "$NODE" "$UNTIL_READY" "Z" "$NODE" "$MAIN" "$@" ;;
    *) "$NODE" "$MAIN" "$@" ;;
  esac
  code=$?
  [ $code -eq 0 ] || echo "kurs $* exited with $code" >> "$FAILED"
  exit $code`;
  const programs = Object.entries(standIns).map(([name, { effect = "" }]) => {
    const record = `printf '${RECORD}%s${UNIT}%s' ${name} "$PWD" >> "$CALLS"
for arg; do printf '${UNIT}%s' "$arg" >> "$CALLS"; done`;
    return [name, `${record}\n${effect}`];
  });
  for (const [name = "", body] of [["kurs", kurs], ...programs]) {
    await writeFile(join(bin, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(bin, name), 0o755);
  }
}
