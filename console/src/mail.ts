/**
 * Whether mails are files, because the operator has set up no mail server. The server writes it into
 * the document.
 */
export const areMailsFiles =
  document.querySelector<HTMLMetaElement>('meta[name="mail"]')?.content === "files";

/** What that means for a reader who waits for a mail. */
export const noMailServer = "This service has no mail server: it writes its mails to files.";
