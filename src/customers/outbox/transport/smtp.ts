import { createTransport } from "nodemailer";
import { isLoopback } from "../../../platform/shared/loopback.ts";
import { MailError, type Mailer } from "../mailer.ts";
import { composeMessage, type MessageSettings } from "./message.ts";

/** A reachable server replies sooner, but may take minutes to process a mail. */
const CONNECTION_TIMEOUT_MS = 15_000;
const SILENCE_TIMEOUT_MS = 5 * 60_000;

const REASON_CHARACTERS_MAX = 300;

/**
 * Sends mails to an SMTP server over a few pooled connections. Mails hold tokens, so they go to
 * another machine only over TLS, unless the URL has `requireTLS=false` or `ignoreTLS=true`. On
 * loopback, TLS is used if the server offers it.
 *
 * @param url as in SMTP_URL: `smtp:` or `smtps:`, with user and password where they are needed.
 */
export function createSmtpMailer(url: string, settings: MessageSettings): Mailer {
  const transport = transportOf(url);

  return {
    async send(mail, signal) {
      try {
        const { response } = await transport.sendMail({
          ...composeMessage(mail, settings),
          signal,
        });
        return sanitizeReply(response, mail.email);
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
 * @throws {MailError} also when it does not reply in time.
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

/** The scheme, host and port of an SMTP URL, as shown to people. */
export function smtpServerName(url: string): string {
  const { host } = new URL(url.replace(/^smtps?:/i, "https:"));
  return `${url.split(":")[0]}://${host}`;
}

function transportOf(url: string) {
  // Parsed as http: or https:, because URL does not normalize the host of an unknown scheme.
  const { protocol, hostname, searchParams } = new URL(url.replace(/^smtp/i, "http"));
  const mayBeClear = isLoopback(hostname) || searchParams.get("ignoreTLS") === "true";
  return createTransport({
    ...(isLoopback(hostname) ? pinned(url, hostname) : { url }),
    pool: true,
    // nodemailer's log would contain the mails' secrets.
    logger: false,
    // Only the outbox retries, so that a mail is not sent twice.
    maxRequeues: 0,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: CONNECTION_TIMEOUT_MS,
    dnsTimeout: CONNECTION_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // A requireTLS in the URL overrides this one.
    ...(protocol === "http:" && !mayBeClear ? { requireTLS: true } : {}),
  });
}

/** Pins `localhost` to 127.0.0.1: nodemailer resolves it by DNS, which may name any machine. */
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
  const reason = signal.aborted ? abortReasonOf(signal) : explain(message);
  const isRejected = responseCode >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");
  return new MailError(sanitizeReply(reason, email), { isRejected, cause: error });
}

function abortReasonOf({ reason }: AbortSignal): string {
  const { name, message } = reason as Error;
  return name === "TimeoutError" ? "the server did not reply in time" : message;
}

const noTls = /^(?:Error upgrading connection with STARTTLS|EHLO failed but HELO does not support)/;

/** nodemailer's message, with advice for the operator where it is unclear. */
function explain(message = "no reason was given"): string {
  if (/self-signed|unable to (get|verify)|issuer/i.test(message)) {
    return `${message} (set NODE_EXTRA_CA_CERTS to trust its authority)`;
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

/** Makes a server's text one line for the log, without the recipient, whom it often names. */
function sanitizeReply(text: string, email: string): string {
  const anonymous =
    email === "" ? text : text.replaceAll(new RegExp(RegExp.escape(email), "gi"), "<recipient>");
  return anonymous
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, REASON_CHARACTERS_MAX);
}
