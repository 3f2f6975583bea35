import { setTimeout as after } from "node:timers/promises";
import type { Answer } from "../../test/support/client.ts";
import { eventually } from "../../test/support/mails.ts";
import { Counts } from "./counts.ts";

/** The pause of a reader after a failure: it limits the load while there is no service. */
const PAUSE_MS = 20;

/** Reads without pause, each reader one after the other, until they are stopped. */
export class Reads implements AsyncDisposable {
  sent = 0;
  /** Responses with 200. */
  served = 0;
  /** Other responses by status and code, and broken connections: how often each came. */
  readonly failed = new Counts();
  #isOn = true;
  readonly #reading: Promise<unknown>;

  constructor(readers: readonly (() => Promise<Answer>)[]) {
    const readOn = async (read: () => Promise<Answer>) => {
      while (this.#isOn) {
        this.sent += 1;
        const failure = await read().then(
          ({ status, body, text }) => (status === 200 ? "" : `${status} ${body.code ?? text}`),
          (error: NodeJS.ErrnoException) => error.code ?? error.message,
        );
        if (failure === "") this.served += 1;
        else {
          this.failed.add(failure);
          await after(PAUSE_MS);
        }
      }
    };
    this.#reading = Promise.all(readers.map(readOn));
  }

  async untilServed(more: number): Promise<void> {
    const wanted = this.served + more;
    await eventually(`${more} reads`, () => this.served >= wanted || undefined);
  }

  /** Ends the reads after those in flight. */
  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#reading;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
