import type { OutgoingMail } from "./store.ts";

export interface Mailer extends Disposable {
  /**
   * @returns the server's reply, or the path of the mail's file.
   * @throws {MailError} with the reason.
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<string>;
}

/** A mail could not be sent. The message is one line that says why. */
export class MailError extends Error {
  /** The server rejected this mail permanently (a 5yz reply, RFC 5321, section 4.2.1). */
  readonly isRejected: boolean;

  constructor(reason: string, options: { readonly isRejected: boolean; readonly cause?: unknown }) {
    super(reason, { cause: options.cause });
    this.name = "MailError";
    this.isRejected = options.isRejected;
  }
}

/** The sender of a mail. */
export interface MailAddress {
  /** The display name; may be empty. */
  readonly name: string;
  readonly address: string;
}

export interface MailSettings {
  readonly dataDirectory: string;
  /** `smtp:` or `smtps:`; unset: each mail is written to a file in the data directory. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: MailAddress;
}
