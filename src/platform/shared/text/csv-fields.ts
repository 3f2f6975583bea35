// The fields of a line of comma-separated values (RFC 4180). No field spans lines.

/** Spreadsheets write semicolons where the comma separates decimals. */
export type Separator = "," | ";";

export const BROKEN_QUOTING =
  "broken quoting: a quoted field starts and ends with a quote, and a quote within it is doubled";

/** A field with the separator before it. */
const FIELDS: Record<Separator, RegExp> = {
  ",": /,(?:"((?:[^"]|"")*)"|([^",]*))/g,
  ";": /;(?:"((?:[^"]|"")*)"|([^";]*))/g,
};

/** @returns undefined for broken quoting. Without a quote, every separator separates two fields. */
export function splitFields(text: string, separator: Separator): readonly string[] | undefined {
  if (!text.includes('"')) return text.split(separator);
  const fields: string[] = [];
  let length = 0;
  for (const [whole, quoted, plain = ""] of `${separator}${text}`.matchAll(FIELDS[separator])) {
    length += whole.length;
    fields.push(quoted?.replaceAll('""', '"') ?? plain);
  }
  return length === separator.length + text.length ? fields : undefined;
}
