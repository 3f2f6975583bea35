import type { Clock, RateLineReader, Store } from "../../application/ports.ts";

/** What commands use of the outside world. */
export interface CommandUses {
  readonly version: string;
  readonly clock: Clock;
  /** Serves until it is told to stop. */
  readonly serve: () => Promise<void>;
  /** @throws {StartError} */
  readonly openStore: () => Store;
  /** Opens a file, or stdin for `-`. */
  readonly openFile: (path: string) => AsyncIterable<Uint8Array>;
  readonly readRateFile: RateLineReader;
  /** Writes a line to stdout. */
  readonly print: (text: string) => void;
  /** Writes a line to stderr. */
  readonly printError: (text: string) => void;
}

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
