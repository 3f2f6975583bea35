import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { type Client, clientOf } from "./client.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { assertNoSecrets } from "./log-secrets.ts";

/** The program that the whole suite bundles once (test/run.ts), or the sources. */
const MAIN = process.env.KURS_TEST_MAIN ?? join(import.meta.dirname, "patient-program.ts");

/** A child that has not ended by then hangs, on any machine: it is killed and the test fails. */
const DEADLINE_MS = 300_000;

/** The result of a program: its exit and its output. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly dataDirectory?: string;
  /** The environment besides DATA_DIR. Nothing is inherited from the parent. */
  readonly env?: Readonly<Record<string, string>>;
  /** The content of stdin; empty by default. */
  readonly input?: string | Uint8Array;
  /** The file to run; by default the program of this project, with the limits of `patience`. */
  readonly main?: string;
  /** A command that runs the program, which is in its last arguments: `sh -c 'exec "$@"'`. */
  readonly through?: readonly string[];
}

// A test process that is ended from outside, for example by a time limit, leaves no child behind.
const running = new Set<number>();
process.once("exit", () => {
  for (const pid of running) process.kill(pid, "SIGKILL");
});

/** One `kurs …` as a real child process. Disposing of it kills it. */
export class Program implements AsyncDisposable {
  readonly pid: number;
  /** Settles once the process has ended and its output is closed. */
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  readonly #watchers = new Set<() => void>();
  #hasEnded = false;

  constructor(args: readonly string[], options: ProgramOptions = {}) {
    const { dataDirectory, env, input, main = MAIN, through = [] } = options;
    const directory = dataDirectory === undefined ? {} : { DATA_DIR: dataDirectory };
    const [command = "", ...rest] = [...through, process.execPath, main, ...args];
    const child = spawn(command, rest, {
      // Compiled code makes a command start in 0.22 s instead of 0.34 s. By default no source is
      // on: tests send nothing to the network.
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, RATE_SOURCES: "", ...directory, ...env },
    });
    if (child.pid === undefined) throw new Error(`cannot start ${command}`);
    this.pid = child.pid;
    running.add(child.pid);

    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#append("stdout", text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#append("stderr", text));
    // A program that rejects its arguments ends without reading its stdin.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);

    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.ended = promise;
    child.once("exit", () => running.delete(this.pid));
    child.once("close", (exitCode, signal) => {
      this.#hasEnded = true;
      resolve({ exitCode, signal, stdout: this.stdout, stderr: this.stderr });
      for (const watcher of [...this.#watchers]) watcher();
    });
  }

  /** Whether the process runs, or its output is still open. */
  get isRunning(): boolean {
    return !this.#hasEnded;
  }

  /** Sends a signal if the process still exists. */
  signal(name: NodeJS.Signals): void {
    if (running.has(this.pid)) process.kill(this.pid, name);
  }

  /**
   * Waits for something in the output.
   *
   * @throws when the program ends without it, or after a time limit.
   */
  async waitFor<Found>(what: string, find: () => Found | undefined): Promise<Found> {
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    const look = () => {
      const found = find();
      if (found !== undefined) resolve(found);
      else if (this.#hasEnded) reject(new Error(`ended without ${what}: ${this.#output()}`));
    };
    const late = setTimeout(() => reject(new Error(`no ${what}: ${this.#output()}`)), DEADLINE_MS);
    this.#watchers.add(look);
    look();
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      this.#watchers.delete(look);
    }
  }

  /** Waits for the end of the program, with a time limit. */
  async end(deadlineMs = DEADLINE_MS): Promise<Ended> {
    const timeout = new AbortController();
    const late = after(deadlineMs, undefined, { signal: timeout.signal }).catch(() => undefined);
    const ended = await Promise.race([this.ended, late]);
    timeout.abort();
    if (ended !== undefined) return ended;
    this.signal("SIGKILL");
    throw new Error(`not ended within ${deadlineMs} ms: ${this.#output()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal("SIGKILL");
    const { stdout, stderr } = await this.ended;
    assertNoSecrets(stdout + stderr);
  }

  #append(stream: "stdout" | "stderr", text: string): void {
    this[stream] += text;
    for (const watcher of [...this.#watchers]) watcher();
  }

  #output(): string {
    return `stdout ${JSON.stringify(this.stdout)}, stderr ${JSON.stringify(this.stderr)}`;
  }
}

/** Runs one command of the command line to its end. */
export async function kurs(args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  await using program = new Program(args, options);
  return await program.end();
}

export type LogLine = Readonly<Record<string, unknown>>;

/** A server in its own process. Disposing of it kills it if it still runs. */
export interface Server extends AsyncDisposable, Client {
  readonly url: string;
  readonly program: Program;
  /** Every log line so far. */
  logLines(): LogLine[];
  /** Stops it with SIGTERM and waits for its end. */
  stop(): Promise<Ended>;
  /** Ends it with SIGKILL, like a loss of power. */
  kill(): Promise<Ended>;
}

/** Starts `serve` on a free port and waits until its log says that it listens. */
export async function serve(options: ProgramOptions): Promise<Server> {
  const env = { PORT: "0", ...options.env };
  await using starting = new AsyncDisposableStack();
  const program = starting.use(new Program(["serve"], { ...options, env }));
  const logLines = logReaderOf(program);
  const url = await program.waitFor("the log line of listening", () => {
    const line = logLines().find(({ msg }) => msg === "listening");
    return line === undefined ? undefined : String(line.url);
  });
  const end = (signal: NodeJS.Signals) => {
    program.signal(signal);
    return program.end();
  };
  const started = starting.move();
  return {
    ...clientOf(url),
    url,
    program,
    logLines,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Reads the complete lines of a program's JSON log. Each line is parsed once. */
function logReaderOf(program: Program): () => LogLine[] {
  const logLines: LogLine[] = [];
  let parsedLength = 0;
  return () => {
    const completeLength = program.stdout.lastIndexOf("\n") + 1;
    const added = program.stdout.slice(parsedLength, completeLength).split("\n");
    parsedLength = completeLength;
    for (const line of added) {
      if (line.startsWith("{")) logLines.push(JSON.parse(line) as LogLine);
    }
    return [...logLines];
  };
}

/** A new directory, which is removed with its content at the end. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), "kurs-test-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
