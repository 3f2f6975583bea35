import type TypeBox from "typebox";
import type { TInteger, TNull, TSchema, TString, TUnion } from "typebox";
import { EMAIL_LENGTH_MAX, UNMAILABLE_CHARACTERS } from "./text/email.ts";

/** The builders of typebox that the API's schemas use. */
type Builders = Pick<
  typeof TypeBox,
  | "Array"
  | "Boolean"
  | "Enum"
  | "Integer"
  | "Literal"
  | "Null"
  | "Number"
  | "Object"
  | "Optional"
  | "Ref"
  | "String"
>;

type Options = Readonly<Record<string, unknown>>;

/** The schemas of optional properties. */
const optional = new WeakSet<object>();

const plain =
  (type: string) =>
  (options?: Options): object => ({ type, ...options });

const builders = {
  Array: (items: object, options?: Options) => ({ type: "array", items, ...options }),
  Boolean: plain("boolean"),
  Enum: (values: readonly string[], options?: Options) => ({ enum: values, ...options }),
  Integer: plain("integer"),
  Literal: (value: string, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Null: plain("null"),
  Number: plain("number"),
  Object(properties: Readonly<Record<string, object>>, options?: Options) {
    const names = Object.keys(properties);
    const required = names.filter((name) => !optional.has(properties[name] ?? {}));
    const needs = required.length > 0 ? { required } : {};
    return { type: "object", ...needs, properties, ...options };
  },
  Optional(schema: object) {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  Ref: (name: string, options?: Options) => ({ $ref: name, ...options }),
  String: plain("string"),
};

/**
 * Makes JSON Schemas with the types that typebox infers from them. typebox's own builders make the
 * same schemas, but are 400 files: loading them cost a start 0.1 s and 23 MB
 * (docs/decisions/0010-a-start-loads-what-reads-need.md).
 */
export const Type = builders as unknown as Builders;

/** The schema of a text that may also be null. */
export function nullable(options: Options): TUnion<[TString, TNull]> {
  const schema: object = { ...builders.String(options), type: ["string", "null"] };
  return schema as TUnion<[TString, TNull]>;
}

/** The schema of an integer that may also be null. */
export function nullableInteger(options: Options): TUnion<[TInteger, TNull]> {
  const schema: object = { ...builders.Integer(options), type: ["integer", "null"] };
  return schema as TUnion<[TInteger, TNull]>;
}

/** The schema of what another one describes, or null. */
export function orNull<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  const either: object = { anyOf: [schema, builders.Null()] };
  return either as TUnion<[Schema, TNull]>;
}

/** What a rejection calls the characters that a pattern excludes, by the pattern. */
const excluded = new Map<string, string>();

/**
 * @param name what a rejection calls the characters: `control characters`.
 * @returns the pattern of texts without these characters.
 */
export function textWithout(characters: string, name: string): string {
  const pattern = `^[^${characters}]*$`;
  excluded.set(pattern, name);
  return pattern;
}

/** @returns what a rejection calls the characters that a pattern of `textWithout` excludes. */
export function charactersExcludedBy(pattern: string): string | undefined {
  return excluded.get(pattern);
}

/** The id of the examples: a UUIDv7. */
export const EXAMPLE_ID = "01a1fc78-6d10-7638-b14c-f8c565c0a0c9";

export const Timestamp = Type.String({
  format: "date-time",
  description: "RFC 3339 in UTC",
  examples: ["2026-11-21T12:00:00.000Z"],
});

export const Id = Type.String({ format: "uuid", examples: [EXAMPLE_ID] });

export const Units = Type.Integer({ minimum: 0, examples: [1] });

export const Email = Type.String({
  format: "email",
  maxLength: EMAIL_LENGTH_MAX,
  pattern: textWithout(UNMAILABLE_CHARACTERS, "control characters, < or >"),
  description: "Trimmed and lower-cased before validation",
  examples: ["ada@example.org"],
});
