import { quoted } from "../shared/text/visible-text.ts";
import { parseWholeNumber } from "../shared/text/whole-number.ts";
import { CommandError } from "./command.ts";

/**
 * Parses an argument or an option that is a whole number.
 *
 * @param name as the message has it: `--limit`.
 * @throws {CommandError} it is none, or outside the range.
 */
export function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = parseWholeNumber(text, least, most);
  if (value !== undefined) return value;
  const rule = `must be a whole number from ${least} to ${most}`;
  throw new CommandError(`${name} ${quoted(text)}: ${rule}`, 2);
}
