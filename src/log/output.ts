import { write, writeSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";

/** Lines are gathered up to this many characters, or for a second, and written together. */
const GATHERED_MAX = 16_000;
const FLUSH_INTERVAL_MS = 1000;

/** What waits for a reader that has stopped reading, or for a disk with room, in characters. */
const WAITING_MAX = 16_000_000;

/** At the end, a write that fails is tried again for so long. */
const TRY_AT_END_MS = 500;

/** A write under way then hangs: one that fails does so within a second on a busy machine. */
const HANGS_AT_END_MS = 1500;
const RETRY_AT_END_MS = 10;

/**
 * Writes the log's lines to a file descriptor, and never fails: no reader that is gone or slow and
 * no full disk may take the service with it. What cannot be written is kept and tried again each
 * second, within a bound; beyond it whole lines are dropped, and counted.
 */
export class LogOutput {
  readonly #descriptor: number;
  readonly #onRecovery: (lostLines: number) => void;
  readonly #onExit = () => this.#writeAtExit();
  readonly #timer: NodeJS.Timeout;
  #gathered = "";
  /** What was handed to the system, or will be again, since it was not taken. */
  #inHand: Uint8Array | undefined;
  #isWriting = false;
  #hasReader = true;
  #lostLines = 0;

  /** @param onRecovery is told how many lines were lost, once lines can be written again. */
  constructor(descriptor: number, onRecovery: (lostLines: number) => void) {
    this.#descriptor = descriptor;
    this.#onRecovery = onRecovery;
    this.#timer = setInterval(() => this.flush(), FLUSH_INTERVAL_MS).unref();
    process.once("exit", this.#onExit);
  }

  /** Takes whole lines. */
  write(lines: string): void {
    if (!this.#hasReader) return;
    if (this.#gathered.length + lines.length > WAITING_MAX) {
      this.#lostLines += lines.split("\n").length - 1;
      return;
    }
    this.#gathered += lines;
    if (this.#gathered.length >= GATHERED_MAX && this.#inHand === undefined) this.flush();
  }

  /** Hands on what was gathered, when nothing else is on its way. */
  flush(): void {
    if (this.#isWriting) return;
    if (this.#inHand === undefined) {
      if (this.#gathered === "") return;
      this.#inHand = Buffer.from(this.#gathered);
      this.#gathered = "";
    }
    this.#isWriting = true;
    const bytes = this.#inHand;
    write(this.#descriptor, bytes, (error, written) => {
      this.#isWriting = false;
      if (error === null) this.#goOn(bytes.subarray(written));
      else if (error.code === "EPIPE") this.#dropAll();
    });
  }

  /**
   * Writes what is left, for at most 1.5 s.
   *
   * @returns whether a write hangs: it cannot be called off, and holds up an orderly exit.
   */
  async end(): Promise<boolean> {
    clearInterval(this.#timer);
    process.off("exit", this.#onExit);
    const beganMs = performance.now();
    while (this.#inHand !== undefined || this.#gathered !== "") {
      const passedMs = performance.now() - beganMs;
      if (this.#isWriting ? passedMs > HANGS_AT_END_MS : passedMs > TRY_AT_END_MS) {
        return this.#isWriting;
      }
      this.flush();
      await after(RETRY_AT_END_MS);
    }
    return false;
  }

  #goOn(rest: Uint8Array): void {
    this.#inHand = rest.length === 0 ? undefined : rest;
    if (this.#inHand !== undefined || this.#gathered.length >= GATHERED_MAX) this.flush();
    if (this.#lostLines === 0 || this.#gathered.length > WAITING_MAX / 2) return;
    const lostLines = this.#lostLines;
    this.#lostLines = 0;
    this.#onRecovery(lostLines);
  }

  /** Nobody reads any more, and nobody will. */
  #dropAll(): void {
    this.#hasReader = false;
    this.#inHand = undefined;
    this.#gathered = "";
  }

  /** An end that nobody has prepared: one try, unless a try hangs already. */
  #writeAtExit(): void {
    if (this.#isWriting || this.#inHand !== undefined || this.#gathered === "") return;
    try {
      writeSync(this.#descriptor, this.#gathered);
    } catch {
      // There is no place left to tell it.
    }
  }
}
