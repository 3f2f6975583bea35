import { quoted, visibleLine } from "../shared/text/visible-text.ts";
import { CommandError } from "./command.ts";

/**
 * Checks a text that other programs and people read again.
 *
 * @param name as the message has it: `--reference`.
 * @throws {CommandError} it is empty or longer, or has invisible characters or blanks at its ends.
 */
export function visibleText(name: string, text: string, charactersMax: number): string {
  const isVisible = text.trim() === text && visibleLine(text) === text && text.isWellFormed();
  if (isVisible && text.length >= 1 && text.length <= charactersMax) return text;
  const hasBlanks = text.trim() !== text;
  const visible = `must be 1 to ${charactersMax} visible characters`;
  const rule = hasBlanks ? "must not begin or end with a space" : visible;
  throw new CommandError(`${name} ${quoted(text)}: ${rule}`, 2);
}
