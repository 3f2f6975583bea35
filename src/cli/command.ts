import type { Clock } from "../shared/clock.ts";

/** What every command may use of the outside world. */
export interface CommandIo {
  readonly clock: Clock;
  /** Writes a line to stdout. */
  readonly print: (text: string) => void;
  /** Writes a line to stderr. */
  readonly printError: (text: string) => void;
  /** Shows a line of progress in place of the last, where a person watches; "" removes it. */
  readonly showProgress: (text: string) => void;
}

/**
 * Opens the store, as far as a command needs it.
 *
 * @param how whether to make an embedded database where there is none; unset: refuse.
 * @throws {StartupError}
 */
export type OpenStore<Part> = (how?: {
  readonly makesStore: boolean;
}) => Promise<Part & AsyncDisposable>;

/** A command could not do what it was asked: one line that says why and what to do. */
export class CommandError extends Error {
  /** 1: it did not work out; 2: it was used wrongly. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}

export interface OutputOptions {
  readonly json?: boolean;
}
