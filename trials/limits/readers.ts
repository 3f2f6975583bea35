import { setTimeout as after } from "node:timers/promises";
import type { Draws } from "../../test/support/random.ts";
import { Counts } from "../support/counts.ts";
import { CONNECTIONS, type Stage, type TriedKey } from "./stage.ts";

/** Changes and reads are done within milliseconds. */
const WAIT_MS_MAX = 60_000;

/** Reads with every connection, over and over, while what limits them changes. */
export class Readers implements AsyncDisposable {
  /** Those that are read with. */
  keys: readonly TriedKey[];
  /** Of all reads. */
  served = 0;
  readonly statuses = new Counts();
  /** Responses of other statuses than these reads may get. */
  readonly failed: string[] = [];
  slowestMs = 0;
  /** The last change that was acknowledged. */
  #change = 0;
  /** By the last change before the read was sent. */
  readonly #servedSince = new Map<number, number>();
  /** Of each connection, the change after which it sent a read that was rejected. */
  readonly #rejectedSince: number[] = [];
  #isOn = true;
  #look = () => {};
  readonly #reading: Promise<unknown>;

  constructor({ wires }: Stage, keys: readonly TriedKey[], draws: Draws) {
    this.keys = keys;
    this.#reading = Promise.all(
      wires.map(async (wire, index) => {
        while (this.#isOn) {
          const sentAfter = this.#change;
          const sentMs = performance.now();
          const { status, text } = await wire.readRate(
            "EUR/USD",
            draws.any(this.keys)?.apiKey ?? "none",
          );
          this.slowestMs = Math.max(this.slowestMs, performance.now() - sentMs);
          this.statuses.add(status);
          if (status === 200) {
            this.served += 1;
            this.#servedSince.set(sentAfter, this.servedSince(sentAfter) + 1);
          } else if (status === 429) this.#rejectedSince[index] = sentAfter;
          else if (status !== 401) this.failed.push(`${status}: ${text}`);
          this.#look();
        }
      }),
    );
    this.#reading.catch(() => undefined);
  }

  /** Notes that a change was acknowledged. @returns its number. */
  acknowledge(): number {
    this.#change += 1;
    return this.#change;
  }

  /** Reads that were sent after this change, and before the next one, and served. */
  servedSince(change: number): number {
    return this.#servedSince.get(change) ?? 0;
  }

  untilServed(count: number): Promise<void> {
    return this.#until(`${count} served reads`, () => this.served >= count);
  }

  /** Waits until each connection has got a rejection of a read sent after the last change. */
  untilRejected(): Promise<void> {
    const isRejected = () =>
      this.#rejectedSince.filter((change) => change === this.#change).length === CONNECTIONS;
    return this.#until("rejections", isRejected);
  }

  async #until(what: string, isThere: () => boolean): Promise<void> {
    const over = new AbortController();
    const there = new Promise<void>((resolve) => {
      this.#look = () => {
        if (isThere()) resolve();
      };
    });
    this.#look();
    const late = after(WAIT_MS_MAX, undefined, over).then(() => {
      throw new Error(`no ${what}; ${JSON.stringify(this.statuses.all())}`);
    });
    late.catch(() => undefined);
    // A read that failed ends the waiting.
    await Promise.race([there, this.#reading, late]);
    over.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOn = false;
    await this.#reading;
  }
}
