/** The form in which an email is stored and compared. */
export function normalizeEmail(typed: string): string {
  return typed.trim().toLowerCase();
}

/**
 * What no email of ours may hold, though a quoted local part may by its grammar (RFC 5322): what
 * could write a header of a mail, or be taken for another address within it.
 */
export const UNMAILABLE_CHARACTERS = "\\u0000-\\u001f\\u007f-\\u009f<>";

const unmailable = new RegExp(`[${UNMAILABLE_CHARACTERS}]`);

/** Whether an email holds nothing that could lead its mail astray. */
export function isMailable(email: string): boolean {
  return !unmailable.test(email);
}
