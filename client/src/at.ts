/** A time that a program asks for: RFC 3339 in UTC or with an offset, or a Date. */
export type At = string | Date;

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * A time as the header Accept-Datetime (RFC 7089) has it: in whole seconds, rounded down.
 *
 * @throws {TypeError} for what is neither a text nor a Date.
 * @throws {RangeError} for any other text, such as a date alone.
 */
export function acceptDatetimeOf(at: At): string {
  const time = at instanceof Date ? at : parse(at);
  if (Number.isNaN(time.getTime())) {
    throw new RangeError(`at must be a time such as "2025-10-14T16:00:00Z" (got "${at}")`);
  }
  return time.toUTCString();
}

function parse(text: string): Date {
  if (typeof text !== "string") {
    throw new TypeError(`at must be a time such as "2025-10-14T16:00:00Z" or a Date (got ${text})`);
  }
  if (/^\d{4}-\d\d-\d\d$/.test(text)) {
    const wanted = `"${text}T23:59:59Z" is the last second of that date in UTC`;
    throw new RangeError(`at must be a time, and "${text}" is a date alone: ${wanted}`);
  }
  const [, local, offset] = TIME.exec(text.toUpperCase()) ?? [];
  // Date takes the 30th of February for the 2nd of March.
  const exists = new Date(`${local}Z`).toJSON() === `${local}.000Z`;
  return new Date(exists ? `${local}${offset}` : Number.NaN);
}
