import { readFileSync, statSync } from "node:fs";
import { type Decimal, isDecimal, isZero, parseDecimal } from "../platform/shared/decimal.ts";
import { reasonOf } from "../platform/shared/program/system-error.ts";
import { parseWholeNumber } from "../platform/shared/text/whole-number.ts";
import {
  type DefaultedName,
  type SettingName,
  type secretsInFiles,
  settingOf,
} from "./settings.ts";

/** The variables of a process, or those of a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Readers of single settings, which add invalid values to the problems and return defaults for
 * unset ones. An empty variable counts as unset.
 */
export function readersOf(environment: Environment, problems: string[]) {
  const reject = (name: SettingName, wanted: string, text = "") => {
    problems.push(`${name}: must be ${wanted}, not "${text}"`);
  };
  function textOf(name: DefaultedName): string;
  function textOf(name: SettingName): string | undefined;
  function textOf(name: SettingName): string | undefined {
    return givenText(environment, name) ?? settingOf(name).value;
  }
  const secretOf = (name: (typeof secretsInFiles)[number]): string | undefined => {
    const path = givenText(environment, `${name}_FILE`);
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
    problems.push(`${name}: must be a file with ${wanted}, but ${content.reason}`);
    return undefined;
  };
  const optionalIntegerOf = (name: SettingName, least: number, most: number) => {
    const text = textOf(name);
    if (text === undefined) return undefined;
    const value = parseWholeNumber(text, least, most);
    if (value !== undefined) return value;
    reject(name, `a whole number from ${least} to ${most}`, text);
    return undefined;
  };
  /** For a setting with a default; NaN only with a problem, which prevents its use. */
  const integerOf = (name: DefaultedName, least: number, most: number): number =>
    optionalIntegerOf(name, least, most) ?? Number.NaN;
  /** The first choice stands in for an invalid one, whose problem prevents its use. */
  const choiceOf = <Choice extends string>(
    name: DefaultedName,
    choices: readonly [Choice, ...Choice[]],
    wanted = choices.join(", "),
  ): Choice => {
    const text = textOf(name);
    const choice = choices.find((known) => known === text);
    if (choice === undefined) reject(name, wanted, text);
    return choice ?? choices[0];
  };
  const booleanOf = (name: DefaultedName): boolean =>
    choiceOf(name, ["false", "true"], "true or false") === "true";
  const listOf = (
    name: SettingName,
    isValid: (entry: string) => boolean,
    wanted: string,
  ): readonly string[] => {
    const entries = entriesOf(textOf(name) ?? "");
    for (const entry of entries.filter((one) => !isValid(one))) reject(name, wanted, entry);
    return entries;
  };
  const fractionOf = (name: SettingName, example: string): Decimal | undefined => {
    const text = textOf(name);
    if (text === undefined) return undefined;
    const fraction = parseDecimal(text);
    if (isDecimal(fraction) && !isZero(fraction)) return fraction;
    reject(name, `a number above 0, such as ${example}`, text);
    return undefined;
  };
  return {
    ...{ textOf, secretOf, contentOf, listOf, fractionOf, reject },
    ...{ integerOf, optionalIntegerOf, choiceOf, booleanOf },
  };
}

/** @returns the text of a variable; undefined if it is unset or empty. */
export function givenText(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === "" ? undefined : text;
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
    return { reason: `${path} cannot be read: ${reasonOf(error)}` };
  }
}

/** The entries of a comma-separated list. */
export function entriesOf(text: string): readonly string[] {
  return text.split(",").flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()]));
}
