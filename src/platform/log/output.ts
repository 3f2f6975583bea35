import { write, writeSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";

/** Lines are buffered up to this many characters, or for a second, and written together. */
const GATHERED_MAX = 16_000;
const FLUSH_INTERVAL_MS = 1000;

/** The most characters that wait for a reader that has stopped, or for space on a full disk. */
const WAITING_MAX = 16_000_000;

/** At the end, a failing write is retried for this long. */
const TRY_AT_END_MS = 500;

/** A write still in flight by then hangs: a failing one fails within 1 s on a busy machine. */
const HANGS_AT_END_MS = 1500;
const RETRY_AT_END_MS = 10;

/**
 * Writes the log's lines to a file descriptor, and never fails: a closed pipe, a slow reader or a
 * full disk must not stop the service. Lines that cannot be written are kept and retried every
 * second, within a bound; beyond it whole lines are dropped, and counted.
 */
export class LogOutput {
  readonly #descriptor: number;
  readonly #onRecovery: (lostLines: number) => void;
  readonly #onExit = () => this.#writeAtExit();
  readonly #timer: NodeJS.Timeout;
  #gathered = "";
  /** The bytes of the write in flight, or of the next one if the last failed. */
  #pending: Uint8Array | undefined;
  #isWriting = false;
  #isOpen = true;
  #lostLines = 0;

  /** @param onRecovery called with the number of lost lines once lines can be written again. */
  constructor(descriptor: number, onRecovery: (lostLines: number) => void) {
    this.#descriptor = descriptor;
    this.#onRecovery = onRecovery;
    this.#timer = setInterval(() => this.flush(), FLUSH_INTERVAL_MS).unref();
    process.once("exit", this.#onExit);
  }

  /** Takes whole lines. */
  write(lines: string): void {
    if (!this.#isOpen) return;
    if (this.#gathered.length + lines.length > WAITING_MAX) {
      this.#lostLines += lines.split("\n").length - 1;
      return;
    }
    this.#gathered += lines;
    if (this.#gathered.length >= GATHERED_MAX && this.#pending === undefined) this.flush();
  }

  /** Writes the buffered lines, unless a write is in flight. */
  flush(): void {
    if (this.#isWriting) return;
    if (this.#pending === undefined) {
      if (this.#gathered === "") return;
      this.#pending = Buffer.from(this.#gathered);
      this.#gathered = "";
    }
    this.#isWriting = true;
    const bytes = this.#pending;
    write(this.#descriptor, bytes, (error, written) => {
      this.#isWriting = false;
      if (error === null) this.#continue(bytes.subarray(written));
      else if (error.code === "EPIPE") this.#dropAll();
    });
  }

  /**
   * Writes the remaining lines, for at most 1.5 s.
   *
   * @returns whether a write hangs: it cannot be canceled, and blocks an orderly exit.
   */
  async end(): Promise<boolean> {
    clearInterval(this.#timer);
    process.off("exit", this.#onExit);
    const beganMs = performance.now();
    while (this.#pending !== undefined || this.#gathered !== "") {
      const passedMs = performance.now() - beganMs;
      if (this.#isWriting ? passedMs > HANGS_AT_END_MS : passedMs > TRY_AT_END_MS) {
        return this.#isWriting;
      }
      this.flush();
      await after(RETRY_AT_END_MS);
    }
    return false;
  }

  #continue(rest: Uint8Array): void {
    this.#pending = rest.length === 0 ? undefined : rest;
    if (this.#pending !== undefined || this.#gathered.length >= GATHERED_MAX) this.flush();
    if (this.#lostLines === 0 || this.#gathered.length > WAITING_MAX / 2) return;
    const lostLines = this.#lostLines;
    this.#lostLines = 0;
    this.#onRecovery(lostLines);
  }

  /** The reader has closed the pipe for good. */
  #dropAll(): void {
    this.#isOpen = false;
    this.#pending = undefined;
    this.#gathered = "";
  }

  /** For an exit without `end`: makes one attempt, unless an earlier write is unfinished. */
  #writeAtExit(): void {
    if (this.#isWriting || this.#pending !== undefined || this.#gathered === "") return;
    try {
      writeSync(this.#descriptor, this.#gathered);
    } catch {
      // There is no place left to report it.
    }
  }
}
