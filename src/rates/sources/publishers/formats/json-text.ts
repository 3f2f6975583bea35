import { sourceOfNumber } from "../../../../platform/shared/decimal.ts";
import { repeatedKeyIn } from "../../../../platform/shared/text/json-keys.ts";
import { quoted } from "../../../../platform/shared/text/visible-text.ts";
import { ParseError, type PublisherResponse } from "../publisher.ts";
import { utf8TextOf } from "./source-lines.ts";

/**
 * Parses a JSON response and keeps every number as its source text, so that no digit goes
 * through a float: `{"mid": 3.6770}` gives `{ mid: "3.6770" }`.
 *
 * @throws {ParseError} the body is not JSON in UTF-8, or an object has a key twice.
 */
export function parseJsonText(response: PublisherResponse | undefined): unknown {
  const text = utf8TextOf(response?.body);
  let value: unknown;
  try {
    value = JSON.parse(text, sourceOfNumber);
  } catch (error) {
    throw new ParseError(`the body is not JSON: ${quoted(text.trimStart())}`, error);
  }
  const key = repeatedKeyIn(text);
  if (key === undefined) return value;
  throw new ParseError(`the body states ${quoted(key)} twice in one object`);
}

/** The members of a JSON object; no members for anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return value as Record<string, unknown>;
}

/** The text of a JSON string or number; undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The strings and numbers among the members of a JSON object, as texts. */
export function textsOf(value: unknown): Readonly<Record<string, string | undefined>> {
  const entries = Object.entries(membersOf(value));
  return Object.fromEntries(entries.map(([name, member]) => [name, textOf(member)]));
}

/**
 * The elements of the JSON list at the end of a path of members.
 *
 * @throws {ParseError} there is no list.
 */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const list = path.reduce((members, name) => membersOf(members)[name], value);
  if (Array.isArray(list)) return list;
  throw new ParseError(`the layout has changed: ${path.at(-1) ?? "the response"} is not a list`);
}

/** Reads a JSON response. @returns the objects of the list at the end of a path, as `textsOf`. */
export function jsonRows(response: PublisherResponse | undefined, ...path: readonly string[]) {
  return listAt(parseJsonText(response), ...path).map(textsOf);
}
