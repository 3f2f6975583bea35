import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

/** A self-signed certificate for `localhost` and 127.0.0.1, only for tests. */
export const CERTIFICATE_FILE = join(import.meta.dirname, "tls/localhost-cert.pem");
const PRIVATE_KEY_FILE = join(import.meta.dirname, "tls/localhost-key.pem");

/** Its behaviour for a mail: accept it, reject it, close the connection during DATA, or hang. */
export type SmtpBehaviour =
  | "accept"
  | "drop in DATA"
  | "hang in DATA"
  | { readonly reject: "RCPT" | "DATA"; readonly code: number; readonly message: string };

export interface ReceivedMail {
  readonly mail: Email;
  readonly raw: string;
  /** The envelope's. */
  readonly from: string;
  readonly to: readonly string[];
  readonly wasEncrypted: boolean;
  /** The user that logged in; undefined for none. */
  readonly user: string | undefined;
}

export interface SmtpSettings {
  /** The port to listen on; by default a free one. */
  readonly port?: number;
  /** Whether it offers STARTTLS. */
  readonly startTls?: boolean;
  /** The only account that may send; by default any client may. */
  readonly account?: { readonly user: string; readonly password: string };
}

/** A real SMTP server on loopback; a test can change its behaviour. */
export async function playSmtp(settings: SmtpSettings = {}) {
  const { account, startTls = false } = settings;
  let behaviour: SmtpBehaviour = "accept";
  const received: ReceivedMail[] = [];
  let attempts = 0;
  const refusal = (stage: "RCPT" | "DATA") =>
    typeof behaviour === "object" && behaviour.reject === stage
      ? Object.assign(new Error(behaviour.message), { responseCode: behaviour.code })
      : undefined;

  const server = new SMTPServer({
    logger: false,
    disableReverseLookup: true,
    cert: readFileSync(CERTIFICATE_FILE),
    key: readFileSync(PRIVATE_KEY_FILE),
    disabledCommands: [...(startTls ? [] : ["STARTTLS"]), ...(account ? [] : ["AUTH"])],
    allowInsecureAuth: true,
    authOptional: account === undefined,
    closeTimeout: 100,
    onAuth({ username, password }, _session, done) {
      const isRight = username === account?.user && password === account?.password;
      done(isRight ? null : new Error("wrong user or password"), { user: String(username) });
    },
    onRcptTo(_address, _session, done) {
      attempts += 1;
      done(refusal("RCPT"));
    },
    onData(stream, session, done) {
      if (behaviour === "drop in DATA") {
        stream.once("data", () => server.connections.forEach((each) => void each.close()));
        stream.resume();
        return;
      }
      if (behaviour === "hang in DATA") return void stream.resume();
      void textOf(stream).then(async (raw) => {
        const rejected = refusal("DATA");
        if (rejected !== undefined) return done(rejected);
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          mail: await PostalMime.parse(raw),
          raw,
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          wasEncrypted: session.secure,
          user: session.user === undefined ? undefined : String(session.user),
        });
        done(null, "taken");
      });
    },
  });
  server.on("error", () => undefined);
  await once(server.listen(settings.port ?? 0, "127.0.0.1"), "listening");
  const { port } = server.server.address() as AddressInfo;
  const credentials = account === undefined ? "" : `${account.user}:${account.password}@`;

  return {
    port,
    url: `smtp://${credentials}127.0.0.1:${port}`,
    /** Every mail that it accepted. */
    received,
    /** The number of RCPT commands. */
    attempts: () => attempts,
    behave(next: SmtpBehaviour): void {
      behaviour = next;
    },
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      await promise;
    },
  };
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
