const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is an id, in lower case. Other texts skip the store: they may hold a NUL. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
