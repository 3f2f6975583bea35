/** The Max UUID (RFC 9562, section 5.10): the id of nothing, after every other one. */
export const MAX_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is an id, in lower case. Other texts skip the store: they may hold a NUL. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
