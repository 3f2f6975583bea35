import { createReadStream, fstatSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { format } from "node:util";
import { setFlagsFromString } from "node:v8";
import { wayToLook } from "../platform/cli/in-doubt.ts";
import type { OpenedFile } from "../platform/cli/input-file.ts";
import { runOwnCommand } from "../platform/cli/own-command.ts";
import { systemClock } from "../platform/shared/clock.ts";
import { ConfigError, WRONG_USE } from "../platform/shared/program/start-error.ts";
import { reasonOf, sentenceOf } from "../platform/shared/program/system-error.ts";
import { version } from "../platform/shared/program/version.ts";
import { createSecrets } from "../platform/shared/secrets.ts";
import { StoreUnavailable } from "../platform/shared/store.ts";
import { visible } from "../platform/shared/text/visible-text.ts";
import { type RateSource, sourceNames, sourcesOf } from "../rates/settings.ts";
import { compose } from "./compose.ts";
import { type Config, processEnvironment, readConfig } from "./config.ts";
import type { Limits } from "./limits.ts";

/**
 * A terminal sends Ctrl-C to npm and to the server, and npm passes it on to the server where the
 * shell between them has replaced itself, as bash does: one Ctrl-C arrives twice.
 */
const SAME_CTRL_C_MS = 250;

type Program = ReturnType<typeof compose>;

/** Serves until a signal stops it; a second SIGINT or SIGTERM exits at once. */
async function serve(program: Program, config: Config): Promise<void> {
  // Only this command needs the server's parts; without them the others start in half the time.
  const startService = await program.loadServer();
  const { welcome } = await import("./welcome.ts");
  const { createPasswords } = await import("../customers/use-cases.ts");
  const { createLog } = await import("../platform/log/log.ts");
  const { readableLines } = await import("../platform/log/terminal.ts");
  allocateYoung();
  const stop = Promise.withResolvers<undefined>();
  onStop(() => stop.resolve(undefined));
  // A person reads a terminal; a program reads everything else.
  const readable = process.stdout.isTTY ? readableLines(process.stdout.hasColors()) : undefined;
  const { log, logDestination } = createLog(config.logLevel, readable);
  process.on("uncaughtException", (err) => {
    log.fatal({ err }, "an unexpected error stops the server");
    process.exitCode = 1;
    stop.resolve(undefined);
  });
  {
    // A start may wait for hours: for a restore, or for another process that migrates the store.
    const own = { passwords: createPasswords(), log, logDestination, runCommand: runOwnCommand };
    await using service = await Promise.race([startService(own), stop.promise]);
    isStopped = service === undefined;
    if (service) printError(welcome(service, config));
    await stop.promise;
    log.info("stopping");
  }
  // A normal exit would wait forever for a write to a pipe without a reader. All is closed.
  if (await logDestination.end()) process.kill(process.pid, "SIGKILL");
  // Whatever failed may keep the process alive.
  if (process.exitCode !== undefined) process.exit();
}

/** Calls a function for each signal to stop; a second SIGINT or SIGTERM exits at once. */
function onStop(stop: () => void): void {
  // A terminal that hangs up may send it twice, and nobody asked to exit at once.
  process.on("SIGHUP", () => stop());
  process.once("SIGTERM", () => {
    process.once("SIGTERM", () => process.exit(1));
    stop();
  });
  let firstMs: number | undefined;
  process.on("SIGINT", () => {
    firstMs ??= performance.now();
    if (performance.now() - firstMs > SAME_CTRL_C_MS) process.exit(1);
    stop();
  });
}

/**
 * Keeps V8 from allocating in the old generation what dies soon: after many rejected requests a 400
 * took 35 to 60 µs of processor time instead of 22 to 25, and most imports 37 MB more. Call it when
 * the modules are loaded: V8 rejects code that was cached under other flags, which costs 25 ms
 * (docs/decisions/0016-a-server-limits-its-young-generation.md).
 */
function allocateYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

/** Sources to fetch, through the proxy that is configured. */
function fetchedSources(
  keys: readonly string[],
  { proxies, sourceTokens: tokens, publishers }: Config,
): readonly RateSource[] {
  // For all of this process: fetch takes no proxy of its own. Nothing else here requests a URL,
  // except kurs health, which is another process. Not imported: node:http takes 15 MB.
  if (proxies !== undefined) {
    process.getBuiltinModule("node:http").setGlobalProxyFromEnv(proxies);
  }
  return sourcesOf(keys, { clock: systemClock, version, tokens, publishers });
}

/** Prints one line for an error that the operator can fix, and the stack of any other. */
function reportError(error: unknown): number {
  const sentence = sentenceOf(error);
  printError(sentence ? `kurs: ${sentence}` : format("kurs: unexpected error:", error));
  if (error instanceof StoreUnavailable && error.isInDoubt) {
    printError(`Whether the change is stored is in doubt: ${wayToLook(args)}.`);
  }
  return error instanceof ConfigError ? WRONG_USE : 1;
}

function openFile(path: string): OpenedFile {
  if (path === "-") return openedFile(process.stdin, undefined);
  const fd = openSync(path, "r");
  return openedFile(createReadStream(path, { fd }), fstatSync(fd).size);
}

function openedFile(bytes: Readable, sizeBytes: number | undefined): OpenedFile {
  return { bytes, sizeBytes, [Symbol.dispose]: () => void bytes.destroy() };
}

let shownProgress = "";

/** Shows a line that replaces itself on a terminal; nothing in a log or a pipe. */
function showProgress(text: string): void {
  if (!process.stderr.isTTY || text === shownProgress) return;
  shownProgress = text;
  process.stderr.write(`\r\x1b[2K${visible(text)}`);
}

/** Writes a line in place of the progress, which the next step shows again. */
function printTo(stream: NodeJS.WriteStream): (text: string) => void {
  return (text) => {
    showProgress("");
    stream.write(`${visible(text)}\n`);
  };
}

const write = (text: string): Promise<void> => writeUnchanged(visible(text));

/** Never resolves after an error, which ends the process. */
function writeUnchanged(content: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(content, (error) => {
      if (!error) resolve();
    });
  });
}

const print = printTo(process.stdout);
const printError = printTo(process.stderr);

let endsWithReader = true;

/** Whether a person has stopped a start, or a command that ends by itself then. */
let isStopped = false;

// A reader that closes the pipe (`kurs rates list | head`) is no failure; a full disk is one.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") {
    if (endsWithReader) process.exit(0);
    return;
  }
  printError(`kurs: Cannot write to stdout: ${reasonOf(error)}.`);
  process.exit(1);
});
// A server continues without a reader of stderr, and has no other place to report that.
process.stderr.on("error", () => undefined);

/** Runs any command line. @returns the exit code. */
async function run(program: Program, settings: () => Config): Promise<number> {
  const runCommandLine = await program.loadCommands();
  allocateYoung();
  return runCommandLine(args, {
    environment: processEnvironment,
    nodeOptions: process.execArgv,
    serve: () => serve(program, settings()),
    ask,
    openFile,
    untilStopped: () => {
      const stopping = new AbortController();
      onStop(() => {
        stopping.abort();
        isStopped = true;
      });
      return stopping.signal;
    },
    finishWithoutReader: () => {
      endsWithReader = false;
    },
    print,
    printError,
    write,
    writeBytes: writeUnchanged,
    showProgress,
  });
}

/** Asks on stderr, so that stdout has only what a command prints. @returns "" without a line. */
async function ask(question: string): Promise<string> {
  process.stderr.write(question);
  try {
    for await (const line of createInterface({ input: process.stdin })) return line;
    return "";
  } finally {
    // A terminal that is only paused would keep the process alive.
    process.stdin.destroy();
  }
}

/** Reads the environment now. Invalid settings fail a command that uses them; --help does not. */
function readSettings(): () => Config {
  try {
    const config = readConfig(sourceNames);
    return () => config;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

const args = process.argv.slice(2);

/** Runs the command line of this process, up to its end. */
export async function runProgram(limits: Limits): Promise<void> {
  try {
    const settings = readSettings();
    const program = compose(settings, {
      clock: systemClock,
      secrets: createSecrets(),
      random: Math.random,
      limits,
      fetchedSources,
    });
    // The command-line parser takes 60 ms to load, and this command does not need it.
    if (args.length === 1 && args[0] === "serve") await serve(program, settings());
    else process.exitCode = await run(program, settings);
    // A connection that is still being opened through a proxy outlives its request.
    if (isStopped) process.exit();
  } catch (error) {
    process.exitCode = reportError(error);
  }
}
