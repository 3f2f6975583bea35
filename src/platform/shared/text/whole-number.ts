/** @returns the whole number that a text of digits states; undefined outside the range. */
export function parseWholeNumber(text: string, least: number, most: number): number | undefined {
  const value = /^[0-9]{1,15}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}
