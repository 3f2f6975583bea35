import { createTransport } from "nodemailer";
import { MailError, type Mailer } from "../../application/mail-ports.ts";
import { isLoopback } from "../loopback.ts";
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
  const transport = transportOf(url);

  return {
    async send(mail, signal) {
      try {
        const { response } = await transport.sendMail({ ...messageOf(mail, settings), signal });
        return told(response, mail.email);
      } catch (error) {
        throw mailError(error, mail.email, signal);
      }
    },
    [Symbol.dispose]: () => transport.close(),
  };
}

/**
 * Connects and logs in to an SMTP server, and sends nothing.
 *
 * @throws {MailError} also when it has not answered in time.
 */
export async function greetSmtpServer(url: string, deadlineMs: number): Promise<void> {
  const transport = transportOf(url);
  const signal = AbortSignal.timeout(deadlineMs);
  const { promise: late, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  try {
    await Promise.race([transport.verify(), late]);
  } catch (error) {
    throw mailError(error, "", signal);
  } finally {
    transport.close();
  }
}

/** The host and port of an SMTP address, as it is shown to people. */
export function smtpServerName(url: string): string {
  const { host } = new URL(url.replace(/^smtps?:/i, "https:"));
  return `${url.split(":")[0]}://${host}`;
}

function transportOf(url: string) {
  // As https: of a scheme that it does not know, URL takes a host as it is written.
  const { hostname, username } = new URL(url.replace(/^smtps?:/i, "https:"));
  return createTransport({
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
}

interface NodemailerError {
  readonly message: string;
  readonly code: string;
  readonly responseCode: number;
}

function mailError(error: unknown, email: string, signal: AbortSignal): MailError {
  if (error instanceof MailError) return error;
  const { message, code, responseCode = 0 } = error as Partial<NodemailerError>;
  const reason = signal.aborted ? abortReasonOf(signal) : reasonOf(message, code);
  const isRefused = responseCode >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");
  return new MailError(told(reason, email), { isRefused, cause: error });
}

function abortReasonOf({ reason }: AbortSignal): string {
  const { name, message } = reason as Error;
  return name === "TimeoutError" ? "the server did not answer in time" : message;
}

/** What nodemailer says, and what the operator can do where that leaves one wondering. */
function reasonOf(message = "no reason was given", code = ""): string {
  if (/self-signed|unable to (get|verify)|issuer/i.test(message)) {
    return `${message} (trust its authority by NODE_EXTRA_CA_CERTS)`;
  }
  if (code === "ETLS" && /STARTTLS/i.test(message)) {
    return `${message} (a password goes to another machine over TLS only)`;
  }
  if (/wrong version number/i.test(message)) {
    return "the server does not begin with TLS: use smtp: instead of smtps:";
  }
  return message;
}

/** A server's text as one line that a log may hold: it often repeats the reader's address. */
function told(text: string, email: string): string {
  const anonymous =
    email === "" ? text : text.replaceAll(new RegExp(RegExp.escape(email), "gi"), "<recipient>");
  return anonymous
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, REASON_CHARACTERS_MAX);
}
