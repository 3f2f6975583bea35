import type { Argon2Parameters } from "node:crypto";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { createConcurrencyLimit } from "../../../platform/async/concurrency-limit.ts";
import { Failure } from "../../../platform/shared/failure.ts";
import { readProgramFile } from "../../../platform/shared/program/program-files.ts";
import type { Passwords } from "../passwords.ts";

/** A hash takes a core for about 30 ms, and 19 MiB. One core stays free for reads. */
const POOL_SIZE = Math.max(1, availableParallelism() - 1);

/** A full queue is served within about 5 s if nothing else needs the cores. */
const MAX_QUEUED_PER_THREAD = 166;

/** The threads' name in the operating system, as in `top -H`. */
const THREAD_NAME = "hashing";

const queueFull = new Failure(
  "temporarily_unavailable",
  "The service is temporarily unavailable. Please retry.",
  { retryAfterSeconds: 5 },
);

export interface HashPool {
  /**
   * Computes an Argon2id tag in a worker thread.
   *
   * @throws {Failure} `temporarily_unavailable`, at once, when the queue is full.
   */
  hash(parameters: Argon2Parameters): Promise<Uint8Array>;
  readonly queue: Passwords["queue"];
  readonly close: Passwords["close"];
}

/** The size of the pool and of its queue; the defaults suit the machine. */
export interface HashingLimits {
  /** The most threads; each starts when it is first needed. */
  readonly threads?: number;
  /** The most passwords that wait for a thread. */
  readonly maxQueued?: number;
}

export function createHashPool(limits: HashingLimits = {}): HashPool {
  const { threads = POOL_SIZE } = limits;
  const { maxQueued = threads * MAX_QUEUED_PER_THREAD } = limits;
  const limit = createConcurrencyLimit({ concurrency: threads, maxQueued, rejection: queueFull });
  const idle: HashWorker[] = [];
  const busy = new Set<HashWorker>();

  return {
    hash: (parameters) =>
      limit.run(async () => {
        let thread = idle.pop();
        while (thread?.hasEnded) thread = idle.pop();
        thread ??= new HashWorker();
        busy.add(thread);
        try {
          const tag = await thread.hash(parameters);
          idle.push(thread);
          return tag;
        } finally {
          busy.delete(thread);
        }
      }),
    close() {
      limit.close();
      for (const thread of busy) thread.abandon(queueFull);
    },
    queue: () => ({ waiting: limit.waiting(), rejected: limit.rejected() }),
  };
}

/** A worker thread that keeps the process alive only while it computes a tag. */
class HashWorker {
  readonly #worker = new Worker(threadProgram(), { name: THREAD_NAME });
  #pending: PromiseWithResolvers<Uint8Array> | undefined;
  #hasEnded = false;

  constructor() {
    this.#worker.unref();
    this.#worker.on("message", (message: unknown) => {
      // With --watch, Node.js itself sends the names of loaded modules the same way.
      if (message instanceof Uint8Array) this.#pending?.resolve(message);
    });
    this.#worker.on("error", (error) => this.#pending?.reject(error));
    this.#worker.on("exit", (code) => {
      this.#hasEnded = true;
      this.#pending?.reject(new Error(`a hashing thread ended with ${code}`));
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Rejects the current hash, which then no longer keeps the process alive. */
  abandon(reason: Error): void {
    this.#pending?.reject(reason);
  }

  /** Computes one tag at a time. Rejects when the thread exits first. */
  async hash(parameters: Argon2Parameters): Promise<Uint8Array> {
    this.#pending = Promise.withResolvers();
    this.#worker.ref();
    this.#worker.postMessage(parameters);
    try {
      return await this.#pending.promise;
    } finally {
      this.#worker.unref();
    }
  }
}

/** A data URL, because the single executable has no file that a thread could load. */
function threadProgram(): URL {
  const source = readProgramFile("src/customers/passwords/hashing/hash-worker.js").toString();
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}
