import type { OutgoingMail } from "./store.ts";

/** What hands mails on. */
export interface Mailer extends Disposable {
  /**
   * @returns what became of it: a server's answer, or the file that it is in.
   * @throws {MailError} with the reason.
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<string>;
}

/** A mail could not be handed on: one line that says why. */
export class MailError extends Error {
  /** The server refused this mail for good (a 5yz reply, RFC 5321, section 4.2.1). */
  readonly isRefused: boolean;

  constructor(reason: string, options: { readonly isRefused: boolean; readonly cause?: unknown }) {
    super(reason, { cause: options.cause });
    this.name = "MailError";
    this.isRefused = options.isRefused;
  }
}

/** What a mail server said to a log-in, or that there is none. */
export type MailServerCheck =
  | { readonly kind: "none"; readonly directory: string }
  | { readonly kind: "reached"; readonly name: string }
  | { readonly kind: "failed"; readonly name: string; readonly reason: string };

/** Who a mail is from. */
export interface MailAddress {
  /** As it is shown; may be empty. */
  readonly name: string;
  readonly address: string;
}

export interface MailSettings {
  readonly dataDirectory: string;
  /** `smtp:` or `smtps:`; unset: each mail is a file in the data directory. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: MailAddress;
}
