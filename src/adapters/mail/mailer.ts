import { join } from "node:path";
import type { Mailer } from "../../application/mail-ports.ts";
import type { MailSettings } from "../../config.ts";
import { createFileMailer } from "./file-mailer.ts";
import { createSmtpMailer } from "./smtp-mailer.ts";

/** Makes what hands mails on: to the SMTP server that is set or, without one, into files. */
export function createMailer(
  { smtpUrl, mailFrom, dataDirectory }: MailSettings,
  publicUrl: () => string,
): Mailer {
  const settings = { from: mailFrom, publicUrl };
  return smtpUrl === undefined
    ? createFileMailer(join(dataDirectory, "mail"), settings)
    : createSmtpMailer(smtpUrl, settings);
}
