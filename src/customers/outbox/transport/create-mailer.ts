import { join } from "node:path";
import { MailError, type Mailer, type MailSettings } from "../mailer.ts";

/**
 * Creates the mailer, which sends to the configured SMTP server or, without one, writes files.
 * nodemailer takes 70 ms and 26 MB to load, so it is loaded with the first mail.
 */
export function createMailer(settings: MailSettings, publicUrl: () => string): Mailer {
  let loading: Promise<Mailer> | undefined;
  let loaded: Mailer | undefined;

  return {
    async send(mail, signal) {
      // Simultaneous mails share one.
      loading ??= loadMailer(settings, publicUrl);
      loaded = await loading;
      return loaded.send(mail, signal);
    },
    [Symbol.dispose]: () => loaded?.[Symbol.dispose](),
  };
}

async function loadMailer(
  { smtpUrl, mailFrom, dataDirectory }: MailSettings,
  publicUrl: () => string,
): Promise<Mailer> {
  const settings = { from: mailFrom, publicUrl };
  if (smtpUrl !== undefined) {
    const { createSmtpMailer } = await import("./smtp.ts");
    return createSmtpMailer(smtpUrl, settings);
  }
  const { createFileMailer } = await import("./file.ts");
  return createFileMailer(join(dataDirectory, "mail"), settings);
}

/** Short, because a person waits for the result. */
const GREETING_DEADLINE_MS = 10_000;

/**
 * Logs in to an SMTP server, and sends nothing.
 *
 * @returns how it is shown to people, and why it does not accept mail, if it does not.
 */
export async function checkMailServer(
  smtpUrl: string,
): Promise<{ readonly name: string; readonly reason?: string }> {
  const { verifySmtpServer, smtpServerName } = await import("./smtp.ts");
  const name = smtpServerName(smtpUrl);
  try {
    await verifySmtpServer(smtpUrl, GREETING_DEADLINE_MS);
    return { name };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { name, reason: error.message };
  }
}
