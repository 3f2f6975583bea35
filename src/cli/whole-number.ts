import { quoted } from "../shared/text/visible-text.ts";
import { CommandError } from "./command.ts";

/**
 * Parses an argument or an option that is a whole number.
 *
 * @param name as the message has it: `--limit`.
 * @throws {CommandError} it is none, or outside the range.
 */
export function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = /^[0-9]{1,15}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (value >= least && value <= most) return value;
  const rule = `want a whole number from ${least} to ${most}`;
  throw new CommandError(`${name} ${quoted(text)}: ${rule}`, 2);
}
