import type { SendMailOptions } from "nodemailer/lib/mailer";
import type { OutgoingMail } from "../../application/mail-ports.ts";
import type { MailAddress } from "../../config.ts";
import { letterOf } from "./letters.ts";

export interface MessageSettings {
  readonly from: MailAddress;
  /** Where links lead; known for certain only once the service listens. */
  readonly publicUrl: () => string;
}

/** @returns a mail as nodemailer takes it. */
export function messageOf(
  mail: OutgoingMail,
  { from, publicUrl }: MessageSettings,
): SendMailOptions {
  const { id, email, createdAt } = mail;
  return {
    ...letterOf(mail, publicUrl()),
    from,
    // As objects and an envelope of our own, addresses are never parsed: one that holds a comma or
    // a second address cannot lead the mail elsewhere, or write a header.
    to: { name: "", address: email },
    envelope: { from: from.address, to: [email] },
    // A mail that is sent again after a crash is the same mail: servers and readers may drop it.
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
    date: new Date(createdAt),
    // RFC 3834, section 5: no out-of-office reply wants to answer this.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
