/** What a spreadsheet takes for the start of a formula; ";" separates cells in some countries. */
const formula = /(^|;)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/**
 * A line of CSV (RFC 4180), which ends with a line feed alone. A cell that a spreadsheet would run
 * as a formula, such as the email `=1+1@example.org`, gets an apostrophe before its sign.
 */
export function csvLine(cells: readonly (string | number)[]): string {
  const texts = cells.map((cell) => {
    if (typeof cell === "number") return String(cell);
    const text = cell.replaceAll(formula, "$1'");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${texts.join(",")}\n`;
}
