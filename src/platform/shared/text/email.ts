/** RFC 5321, section 4.5.3.1.3, without the angle brackets of a path. */
export const EMAIL_LENGTH_MAX = 254;

/** Says it of a longer one, after its beginning. */
export const EMAIL_TOO_LONG = `is too long: an email has at most ${EMAIL_LENGTH_MAX} characters`;

/** The form in which an email is stored and compared. */
export function normalizeEmail(typed: string): string {
  return typed.trim().toLowerCase();
}

/**
 * Characters that no email here may hold, though the grammar of a quoted local part (RFC 5322)
 * allows them: they could inject a mail header, or be parsed as another address.
 */
export const UNMAILABLE_CHARACTERS = "\\u0000-\\u001f\\u007f-\\u009f<>";

const unmailable = new RegExp(`[${UNMAILABLE_CHARACTERS}]`);

/** Whether an email holds no character that could misdirect its mail. */
export function isMailable(email: string): boolean {
  return !unmailable.test(email);
}
