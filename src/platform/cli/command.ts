import type { Clock } from "../shared/clock.ts";
import type { Origin } from "../shared/origin.ts";
import { EMAIL_LENGTH_MAX, EMAIL_TOO_LONG } from "../shared/text/email.ts";
import { quoted, visibleLine } from "../shared/text/visible-text.ts";

/** The clock and the output that every command may use. */
export interface CommandIo {
  readonly clock: Clock;
  /** @returns the origin of what this command does now: its operator. */
  readonly origin: () => Origin;
  /** Writes a line to stdout. */
  readonly print: (text: string) => void;
  /** Writes text to stdout; resolves when it is written, so that long output needs no memory. */
  readonly write: (text: string) => Promise<void>;
  /** Writes a line to stderr. */
  readonly printError: (text: string) => void;
  /** From now on a reader that closes the pipe does not end the command. */
  readonly finishWithoutReader: () => void;
  /** Replaces the line of progress, where a person watches; "" removes it. */
  readonly showProgress: (text: string) => void;
}

/**
 * Opens the part of the store that a command needs.
 *
 * @param how whether to create an embedded database if none exists; unset: fails.
 * @throws {StartupError}
 */
export type OpenStore<Part> = (how?: {
  readonly makesStore: boolean;
}) => Promise<Part & AsyncDisposable>;

/** A command failed. The message is one line that says why and what to do. */
export class CommandError extends Error {
  /** 1: the command failed; 2: its arguments are wrong. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}

/** @param email in normal form, of no account. */
export function unknownAccount(email: string): CommandError {
  if (email.length > EMAIL_LENGTH_MAX)
    return new CommandError(`${quoted(email)} ${EMAIL_TOO_LONG}`);
  return new CommandError(`there is no account ${visibleLine(email)}: see kurs accounts list`);
}

export interface OutputOptions {
  readonly json?: boolean;
}
