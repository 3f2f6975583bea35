/**
 * Where a spreadsheet finds the start of a formula: at the start of a cell, by any separator that
 * it may use, and also after quotes and blanks.
 */
const formula = /(?<=^|[;|\t\r\n])(?=(?:"|[^\S\t\r\n])*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g;

/** A number alone is none, also with a sign. */
const signedNumber = /^-[0-9]+([.,][0-9]+)?$/;

/**
 * A line of CSV (RFC 4180), which ends with a line feed alone. A cell that a spreadsheet would run
 * as a formula, such as the email `=1+1@example.org`, gets an apostrophe before its sign.
 */
export const csvLine = (cells: readonly (string | number)[]): string => separatedLine(cells, ",");

/** A line as of CSV, with another separator. */
export function separatedLine(cells: readonly (string | number)[], separator: string): string {
  const texts = cells.map((cell) => {
    if (typeof cell === "number") return String(cell);
    const text = signedNumber.test(cell) ? cell : cell.replaceAll(formula, "'");
    const isQuoted = text.includes(separator) || /["\r\n]/.test(text);
    return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${texts.join(separator)}\n`;
}
