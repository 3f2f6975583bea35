import { createTransport } from "nodemailer";
import { isLoopback } from "../../shared/loopback.ts";
import { MailError, type Mailer } from "../mailer.ts";
import { type MessageSettings, messageOf } from "./message.ts";

/** A server that is there answers sooner; what it does with a mail may take minutes. */
const CONNECTION_TIMEOUT_MS = 15_000;
const SILENCE_TIMEOUT_MS = 5 * 60_000;

const REASON_CHARACTERS_MAX = 300;

/**
 * Hands mails to an SMTP server over a few connections that are kept open. Mails hold tokens, so
 * another machine gets them over TLS alone, unless the address has `requireTLS=false` or
 * `ignoreTLS=true`. On loopback TLS is used when the server offers it.
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
export async function verifySmtpServer(url: string, deadlineMs: number): Promise<void> {
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
  // As http: or https:, since URL takes the host of a scheme that it does not know as written.
  const { protocol, hostname, searchParams } = new URL(url.replace(/^smtp/i, "http"));
  const mayBeClear = isLoopback(hostname) || searchParams.get("ignoreTLS") === "true";
  return createTransport({
    ...(isLoopback(hostname) ? pinned(url, hostname) : { url }),
    pool: true,
    // A transcript of its own would hold the mails' secrets.
    logger: false,
    // The outbox tries again: a mail is not sent twice behind its back.
    maxRequeues: 0,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: CONNECTION_TIMEOUT_MS,
    dnsTimeout: CONNECTION_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // The address's own requireTLS overrides this one.
    ...(protocol === "http:" && !mayBeClear ? { requireTLS: true } : {}),
  });
}

/** nodemailer asks the DNS server for `localhost`, whose response may be any machine. */
function pinned(url: string, hostname: string) {
  const address = hostname === "localhost" ? "127.0.0.1" : hostname;
  return {
    url: url.replace(/^(smtps?:\/\/(?:[^/?#]*@)?)(?:\[[^\]]*\]|[^:/?#]+)/i, `$1${address}`),
    ...(hostname === "localhost" ? { tls: { servername: hostname } } : {}),
  };
}

interface NodemailerError {
  readonly message: string;
  readonly code: string;
  readonly responseCode: number;
}

function mailError(error: unknown, email: string, signal: AbortSignal): MailError {
  if (error instanceof MailError) return error;
  const { message, code, responseCode = 0 } = error as Partial<NodemailerError>;
  const reason = signal.aborted ? abortReasonOf(signal) : reasonOf(message);
  const isRefused = responseCode >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");
  return new MailError(told(reason, email), { isRefused, cause: error });
}

function abortReasonOf({ reason }: AbortSignal): string {
  const { name, message } = reason as Error;
  return name === "TimeoutError" ? "the server did not answer in time" : message;
}

const noTls = /^(?:Error upgrading connection with STARTTLS|EHLO failed but HELO does not support)/;

/** What nodemailer says, and what the operator can do where that leaves one wondering. */
function reasonOf(message = "no reason was given"): string {
  if (/self-signed|unable to (get|verify)|issuer/i.test(message)) {
    return `${message} (trust its authority by NODE_EXTRA_CA_CERTS)`;
  }
  if (noTls.test(message)) {
    return (
      "the server does not offer TLS, without which others can read the secret links in mails. " +
      "Use smtps: or a server with STARTTLS; if you trust the network, add requireTLS=false to " +
      "SMTP_URL (smtp://HOST?requireTLS=false)"
    );
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
