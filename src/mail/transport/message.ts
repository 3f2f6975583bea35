import { domainToASCII } from "node:url";
import type { SendMailOptions } from "nodemailer/lib/mailer";
import { isMailable } from "../../shared/email.ts";
import { type MailAddress, MailError } from "../mailer.ts";
import type { OutgoingMail } from "../store.ts";
import { renderMail } from "../templates.ts";

export interface MessageSettings {
  readonly from: MailAddress;
  /** Where links lead; known for certain only once the service listens. */
  readonly publicUrl: () => string;
}

/**
 * @returns a mail as nodemailer takes it.
 * @throws {MailError} for an address that would be another on its way.
 */
export function messageOf(
  mail: OutgoingMail,
  { from, publicUrl }: MessageSettings,
): SendMailOptions {
  const { id, email, createdAt } = mail;
  const domain = email.slice(email.lastIndexOf("@") + 1);
  // nodemailer writes < and > as blanks, and a domain such as 1.2.3 as the address 1.2.0.3.
  const isSteady = domain.startsWith("[") || domainToASCII(domain) === domain;
  if (!isMailable(email) || !isSteady) {
    throw new MailError("nothing can be mailed to an address like this", { isRefused: true });
  }
  return {
    ...renderMail(mail, publicUrl()),
    from,
    // As objects, in the header as in an envelope of our own, addresses are never parsed: one that
    // holds a comma or a second address cannot lead the mail elsewhere.
    to: { name: "", address: email },
    envelope: { from: { name: "", address: from.address }, to: [{ name: "", address: email }] },
    // A mail that is sent again after a crash is the same mail: servers and readers may drop it.
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
    date: new Date(createdAt),
    // RFC 3834, section 5: no out-of-office reply wants to answer this.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
