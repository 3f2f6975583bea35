/**
 * A number with its noun: `1 account`, `2 accounts`.
 *
 * @param shown the number as a text, if not its digits alone: `1,000`.
 */
export function counted(count: number, noun: string, shown = String(count)): string {
  return `${shown} ${noun}${count === 1 ? "" : "s"}`;
}
