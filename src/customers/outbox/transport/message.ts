import { domainToASCII } from "node:url";
import type { SendMailOptions } from "nodemailer/lib/mailer";
import { isMailable } from "../../../platform/shared/text/email.ts";
import { type MailAddress, MailError } from "../mailer.ts";
import type { OutgoingMail } from "../store.ts";
import { renderMail } from "../templates.ts";

export interface MessageSettings {
  readonly from: MailAddress;
  /** The base of the links; final only once the service listens. */
  readonly publicUrl: () => string;
}

/**
 * @returns a mail in nodemailer's form.
 * @throws {MailError} for an address that nodemailer would change.
 */
export function composeMessage(
  mail: OutgoingMail,
  { from, publicUrl }: MessageSettings,
): SendMailOptions {
  const { id, email, createdAt } = mail;
  const domain = email.slice(email.lastIndexOf("@") + 1);
  // nodemailer writes < and > as blanks, and a domain such as 1.2.3 as the address 1.2.0.3.
  const isSteady = domain.startsWith("[") || domainToASCII(domain) === domain;
  if (!isMailable(email) || !isSteady) {
    throw new MailError("mail cannot be sent to an address like this", { isRejected: true });
  }
  return {
    ...renderMail(mail, publicUrl()),
    from,
    // nodemailer does not parse addresses given as objects, in the header and in our own envelope:
    // one that holds a comma or a second address cannot redirect the mail.
    to: { name: "", address: email },
    envelope: { from: { name: "", address: from.address }, to: [{ name: "", address: email }] },
    // A mail sent again after a crash has the same id, so servers and mail clients may drop it.
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
    date: new Date(createdAt),
    // RFC 3834, section 5: suppresses out-of-office replies.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
