import type { Argon2Parameters } from "node:crypto";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Secrets } from "../application/ports.ts";
import { Failure } from "../domain/failure.ts";
import { createTurnstile } from "./turnstile.ts";

/** A hashing takes a core for some 30 ms, and 19 MiB. One core stays free of it, for the reads. */
const THREADS = Math.max(1, availableParallelism() - 1);

/** What waits is served within some 5 s, as long as nothing else needs the cores. */
const WAITING_PER_THREAD = 166;

/** What the operating system shows of them, to `top -H` for one. */
const THREAD_NAME = "hashing";

const tooManyWait = new Failure(
  "temporarily_unavailable",
  "The service is temporarily unavailable. Please retry.",
  { retryAfterSeconds: 5 },
);

export interface Hashing {
  /**
   * Makes a tag with Argon2id in a thread beside the service's own.
   *
   * @throws {Failure} `temporarily_unavailable`, at once, when too many wait already.
   */
  makeTag(order: Argon2Parameters): Promise<Uint8Array>;
  readonly queue: Secrets["passwordQueue"];
  readonly close: Secrets["closePasswords"];
}

/** What a hashing may take; by default what suits the machine. */
export interface HashingLimits {
  /** At most so many, each started when it is first needed. */
  readonly threads?: number;
  /** At most so many orders wait for a thread. */
  readonly waiting?: number;
}

export function createHashing(limits: HashingLimits = {}): Hashing {
  const { threads = THREADS } = limits;
  const { waiting = threads * WAITING_PER_THREAD } = limits;
  const turnstile = createTurnstile({ atOnce: threads, waiting, whenFull: tooManyWait });
  const idle: HashingThread[] = [];
  const busy = new Set<HashingThread>();

  return {
    makeTag: (order) =>
      turnstile.pass(async () => {
        let thread = idle.pop();
        while (thread?.hasEnded) thread = idle.pop();
        thread ??= new HashingThread();
        busy.add(thread);
        try {
          const tag = await thread.makeTag(order);
          idle.push(thread);
          return tag;
        } finally {
          busy.delete(thread);
        }
      }),
    close() {
      turnstile.close();
      for (const thread of busy) thread.abandon(tooManyWait);
    },
    queue: () => ({ waiting: turnstile.waiting(), refused: turnstile.refused() }),
  };
}

/** A thread that keeps the process alive only while it makes a tag. */
class HashingThread {
  readonly #worker = new Worker(new URL("./hashing-thread.js", import.meta.url), {
    name: THREAD_NAME,
  });
  #pending: PromiseWithResolvers<Uint8Array> | undefined;
  #hasEnded = false;

  constructor() {
    this.#worker.unref();
    this.#worker.on("message", (tag: Uint8Array) => this.#pending?.resolve(tag));
    this.#worker.on("error", (error) => this.#pending?.reject(error));
    this.#worker.on("exit", (code) => {
      this.#hasEnded = true;
      this.#pending?.reject(new Error(`a hashing thread ended with ${code}`));
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Rejects what is under way, and keeps the process alive for it no longer. */
  abandon(reason: Error): void {
    this.#pending?.reject(reason);
  }

  /** One at a time. Rejects when the thread ends before it is done. */
  async makeTag(order: Argon2Parameters): Promise<Uint8Array> {
    this.#pending = Promise.withResolvers();
    this.#worker.ref();
    this.#worker.postMessage(order);
    try {
      return await this.#pending.promise;
    } finally {
      this.#worker.unref();
    }
  }
}
