import { createTransport } from "nodemailer";
import { MailError, type Mailer } from "../../application/mail-ports.ts";
import { type MessageSettings, messageOf } from "./message.ts";

/** A server that is there answers sooner; what it does with a mail may take minutes. */
const CONNECTION_TIMEOUT_MS = 15_000;
const SILENCE_TIMEOUT_MS = 5 * 60_000;

const REASON_CHARACTERS_MAX = 300;

/**
 * Hands mails to an SMTP server over a few connections that are kept open. TLS is used when the
 * server offers it; a password goes to another machine over TLS alone.
 *
 * @param url as in SMTP_URL: `smtp:` or `smtps:`, with user and password where they are needed.
 */
export function createSmtpMailer(url: string, settings: MessageSettings): Mailer {
  const { hostname, username } = new URL(url);
  const transport = createTransport({
    url,
    pool: true,
    // A transcript of its own would hold the mails' secrets.
    logger: false,
    // The outbox tries again: a mail is not sent twice behind its back.
    maxRequeues: 0,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: CONNECTION_TIMEOUT_MS,
    dnsTimeout: CONNECTION_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    ...(username !== "" && !isLoopback(hostname) ? { requireTLS: true } : {}),
  });

  return {
    async send(mail, signal) {
      try {
        const { response } = await transport.sendMail({ ...messageOf(mail, settings), signal });
        return oneLine(response);
      } catch (error) {
        throw mailError(error, signal);
      }
    },
    [Symbol.dispose]: () => transport.close(),
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || /^(127\.|\[::1\]$)/.test(hostname);
}

interface NodemailerError {
  readonly message: string;
  readonly code: string;
  readonly responseCode: number;
}

function mailError(error: unknown, signal: AbortSignal): MailError {
  const { message, code, responseCode = 0 } = error as Partial<NodemailerError>;
  const reason = signal.aborted ? String((signal.reason as Error).message) : String(message);
  const isRefused = responseCode >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");
  return new MailError(oneLine(reason), { isRefused, cause: error });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, REASON_CHARACTERS_MAX);
}
