/**
 * Whether mails are files, because the operator has set up no mail server. The server writes it into
 * the document.
 */
export const areMailsFiles =
  document.querySelector<HTMLMetaElement>('meta[name="mail"]')?.content === "files";

/** What that means for a reader who waits for a mail. */
export const noMailServer = "This service has no mail server: it writes its mails to files.";

/** Where a new account finds the link that confirms its email. */
export const howToConfirm = (email: string): string =>
  areMailsFiles
    ? `${noMailServer} To confirm ${email}, ask its operator for the link.`
    : `We have sent a mail to ${email}: open its link, which works for 24 hours.`;

/** The same for an account that cannot log in before. */
export const howToConfirmFirst = (email: string): string =>
  areMailsFiles
    ? `${noMailServer} Ask its operator for the link of the mail to ${email}. Open it, then log in.`
    : `We have sent a mail to ${email}. Open its link, then log in.`;

/** Where an owner finds the link that sets a new password. */
export const whereResetIs = areMailsFiles
  ? "The mail is in a file: ask the operator of this service for its link."
  : "A mail with a link is on its way. The link works for one hour.";

/** What has become of a mail that somebody asked for. */
export const whereMailIs = areMailsFiles
  ? "its mail is now in a file: ask the operator of this service for the link."
  : "a mail is on its way. Check your spam folder, too.";
