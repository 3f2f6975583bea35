import { readFileSync, statSync } from "node:fs";
import { parseWholeNumber } from "./shared/text/whole-number.ts";

/** The variables of a process, or those of a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Readers of single variables, which add invalid values to the problems. An empty variable counts
 * as unset.
 */
export function readersOf(environment: Environment, problems: string[]) {
  const textOf = (name: string): string | undefined => {
    const text = environment[name]?.trim();
    return text === "" ? undefined : text;
  };
  const secretOf = (name: string): string | undefined => {
    const path = textOf(`${name}_FILE`);
    if (path === undefined) return textOf(name);
    if (textOf(name) !== undefined) {
      problems.push(`${name}: unset it or ${name}_FILE; only one of them can be set`);
      return undefined;
    }
    return contentOf(`${name}_FILE`, `${name} in one line`, path);
  };
  const contentOf = (name: string, wanted: string, path: string): string | undefined => {
    const content = readSecret(path);
    if (typeof content === "string") return content;
    problems.push(`${name}: want a file with ${wanted}, but ${content.reason}`);
    return undefined;
  };
  const integerOf = (name: string, least: number, most: number): number | undefined => {
    const text = textOf(name);
    if (text === undefined) return undefined;
    const value = parseWholeNumber(text, least, most);
    if (value !== undefined) return value;
    problems.push(`${name}: want a whole number from ${least} to ${most}, not "${text}"`);
    return undefined;
  };
  const booleanOf = (name: string): boolean | undefined => {
    const text = textOf(name);
    if (text === undefined || text === "true" || text === "false") return text && text === "true";
    problems.push(`${name}: want true or false, not "${text}"`);
    return undefined;
  };
  const listOf = (name: string): readonly string[] => entriesOf(environment[name] ?? "");
  return { textOf, secretOf, contentOf, integerOf, booleanOf, listOf };
}

const SECRET_BYTES_MAX = 65_536;

/** @returns the text of a file without the newline at its end, or why there is none. */
function readSecret(path: string): string | { readonly reason: string } {
  try {
    const stats = statSync(path);
    // Reading a device might never end.
    if (!stats.isFile()) return { reason: `${path} is not a file` };
    if (stats.size > SECRET_BYTES_MAX) return { reason: `${path} has more than 64 KiB` };
    const text = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    return text.trim() === "" ? { reason: `${path} is empty` } : text;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: "does not exist",
      EACCES: "cannot be read by this user",
    };
    return { reason: `${path} ${reasons[code ?? ""] ?? `cannot be read: ${message}`}` };
  }
}

/** The entries of a comma-separated list. */
export function entriesOf(text: string): readonly string[] {
  return text.split(",").flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()]));
}
