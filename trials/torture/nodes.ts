import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { type Ended, Program, type Server, serve } from "../../test/support/process.ts";
import { type Story, Violation } from "./event-log.ts";
import type { Instant, NodeEnd } from "./plan.ts";
import type { TorturedStore } from "./stores.ts";

/** A node from its start to its end. */
export interface Node {
  readonly index: number;
  readonly server: Server;
  /** Its end has begun: connections to it may break. */
  isDoomed: boolean;
}

/** The nodes on one store, some of which may be down. */
export class Nodes implements AsyncDisposable {
  kills = 0;
  /** For each process the time from its start to its first 200 for a read. */
  readonly recoveriesMs: number[] = [];
  /** The usual duration of a start: kills during starts are timed in fractions of it. */
  startMs = 400;
  readonly #store: TorturedStore;
  /** Sends reads to a new node until one gets a 200. */
  readonly #firstRead: (node: Node) => Promise<void>;
  readonly #nodes: (Node | undefined)[];

  constructor(store: TorturedStore, count: number, firstRead: (node: Node) => Promise<void>) {
    this.#store = store;
    this.#firstRead = firstRead;
    this.#nodes = Array.from({ length: count }, () => undefined);
  }

  /** The node at an index (cyclic) or, if that is down, the next one. */
  living(first: number): Node | undefined {
    const count = this.#nodes.length;
    for (let step = 0; step < count; step += 1) {
      const node = this.#nodes[(first + step) % count];
      if (node !== undefined && !node.isDoomed) return node;
    }
    return undefined;
  }

  all(): Node[] {
    return this.#nodes.filter((node) => node !== undefined);
  }

  /** Starts a node after some starts that are killed, and waits for its first response. */
  async start(
    index: number,
    how: { killedStarts?: readonly Instant[]; story?: Story } = {},
  ): Promise<Node> {
    const { killedStarts = [], story } = how;
    for (const instant of killedStarts) {
      await this.runAndKill(["serve"], instant);
      story?.tell(`a start of node ${index} was killed`);
    }
    const { dataDirectory, env } = this.#store;
    const sinceMs = performance.now();
    const server = await serve({ dataDirectory, env: { ...ENVIRONMENT, ...env } });
    const listeningMs = performance.now() - sinceMs;
    const node: Node = { index, server, isDoomed: false };
    this.#nodes[index] = node;
    await this.#firstRead(node);
    const recoveryMs = performance.now() - sinceMs;
    this.recoveriesMs.push(recoveryMs);
    this.startMs = listeningMs;
    story?.tell(`node ${index} is up after ${Math.round(recoveryMs)} ms`);
    return node;
  }

  /** Ends a node by `kill -9`, perhaps shortly after a SIGTERM. */
  async end({ node: index, askedMsBefore }: NodeEnd, story: Story): Promise<void> {
    const node = this.#nodes[index];
    if (node === undefined) throw new Error(`node ${index} is not up`);
    const { program } = node.server;
    node.isDoomed = true;
    if (askedMsBefore !== undefined) {
      program.signal("SIGTERM");
      await after(askedMsBefore);
    }
    program.signal("SIGKILL");
    this.kills += 1;
    const { exitCode } = await program.end();
    story.tell(`node ${index} has ended, ${exitCode === 0 ? "by itself" : "killed"}`);
    this.#nodes[index] = undefined;
    checkLog(node);
    if (exitCode !== 0 && exitCode !== null) {
      throw new Violation(`node ${index} ended with ${exitCode}: ${program.stderr}`);
    }
  }

  /** Runs a program on the store until it is killed. @returns whether it ended before. */
  async runAndKill(args: readonly string[], instant: Instant, input = ""): Promise<boolean> {
    const { dataDirectory } = this.#store;
    const env = { ...ENVIRONMENT, ...this.#store.env, ...environmentFor(instant) };
    await using program = new Program(args, { dataDirectory, env, input });
    const { exitCode, stderr } = await killAt(instant, program, this.startMs);
    if (exitCode === null) this.kills += 1;
    else if (exitCode !== 0) throw new Violation(`${args.join(" ")}: ${exitCode}, ${stderr}`);
    return exitCode === 0;
  }

  /** Asserts that no node has failed by itself. */
  check(): void {
    for (const node of this.all()) {
      checkLog(node);
      const { program } = node.server;
      if (!program.isRunning) throw new Violation(`node ${node.index} ended: ${program.stderr}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { server } of this.all()) await server[Symbol.asyncDispose]();
  }
}

const ENVIRONMENT = { PORT: "0", AUTH_LIMIT: "1000000", LOG_LEVEL: "info" };

function checkLog({ index, server }: Node): void {
  const own = server.logLines().filter(({ code }) => code === "internal_error");
  if (own.length > 0) throw new Violation(`node ${index} failed: ${JSON.stringify(own[0])}`);
  const { stderr } = server.program;
  if (/unhandled|uncaught|Error/i.test(stderr)) throw new Violation(`node ${index}: ${stderr}`);
}

/** A program that reaches neither its instant nor its work by then is killed anyway. */
const WAIT_MS_MAX = 10_000;

const DIE_AT_STATEMENT = join(import.meta.dirname, "exit-at-statement.ts");

/** The environment of a program that is to be killed at an instant. */
function environmentFor(instant: Instant): Readonly<Record<string, string>> {
  if (!("statement" in instant)) return {};
  const { statement } = instant;
  return { NODE_OPTIONS: `--import=${DIE_AT_STATEMENT}`, DIE_AT_STATEMENT: String(statement) };
}

/**
 * Kills a program that has just been started: at its instant, or as soon as it works.
 *
 * @param startMs the usual duration of a start.
 */
async function killAt(instant: Instant, program: Program, startMs: number): Promise<Ended> {
  const over = new AbortController();
  const isWorking = () => program.stdout.includes('"listening"') || undefined;
  await Promise.race([
    // At a statement the program kills itself.
    after("part" in instant ? instant.part * startMs : WAIT_MS_MAX, undefined, over),
    // A program that ends by itself before that is not a failure.
    program.waitFor("its work", isWorking).catch(() => undefined),
  ]);
  program.signal("SIGKILL");
  over.abort();
  return await program.end();
}
