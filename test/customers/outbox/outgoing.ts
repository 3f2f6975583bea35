import assert from "node:assert/strict";
import { MailError } from "../../../src/customers/outbox/mailer.ts";
import type { OutgoingMail } from "../../../src/customers/outbox/store.ts";
import { createSmtpMailer } from "../../../src/customers/outbox/transport/smtp.ts";

export const TOKEN = "3f".repeat(32);

export const PUBLIC_URL = "https://rates.example.org";

/** An SMTP server's account. */
export const ACCOUNT = { user: "kurs", password: "sesame-42" };

/** A signal that never aborts. */
export const never = new AbortController().signal;

let mails = 0;

export function newMail(email = "ada@example.org"): OutgoingMail {
  mails += 1;
  return {
    id: `01a1fc6b-d91f-75da-881f-${String(mails).padStart(12, "0")}`,
    kind: "verification",
    email,
    link: { token: TOKEN, expiresAt: "2026-11-22T12:00:00.000Z" },
    createdAt: "2026-11-21T12:00:00.000Z",
  };
}

export const mailerTo = (url: string) =>
  createSmtpMailer(url, {
    from: { name: "Kürs", address: "kurs@example.org" },
    publicUrl: () => PUBLIC_URL,
  });

/** Sends a new mail to a server. @returns the server's reply. */
export async function sendTo(url: string): Promise<string> {
  using mailer = mailerTo(url);
  return await mailer.send(newMail(), never);
}

/** Sends a new mail to a server, which must fail. @returns the failure. */
export const failureAt = (url: string): Promise<MailError> => toFailure(sendTo(url));

/** Asserts that a send fails with one line that contains no secret. @returns that error. */
export async function toFailure(sending: Promise<string>): Promise<MailError> {
  const error = await sending.then(
    (answer) => assert.fail(`sent: ${answer}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof MailError, String(error));
  assert.match(error.message, /^[^\p{Cc}]{5,300}$/u);
  for (const secret of [TOKEN, ACCOUNT.password]) {
    const encoded = Buffer.from(secret).toString("base64").replace(/=+$/, "");
    assert.ok(!error.message.includes(secret) && !error.message.includes(encoded), error.message);
  }
  return error;
}
