/** The part of JSON Schema that the API's bodies use. */
export interface BodySchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly items?: BodySchema;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

/**
 * Composes the example of a body from those of its parts: a schema has examples of its own, or is
 * an object or a list of schemas that have some.
 *
 * @param named returns the schema that a reference names.
 * @returns undefined without an example.
 */
export function exampleOf(schema: BodySchema, named: (reference: string) => BodySchema): unknown {
  const { $ref, type, properties = {}, items, examples, enum: values } = schema;
  if ($ref !== undefined) return exampleOf(named($ref), named);
  if (examples !== undefined) return examples[0];
  if (schema.const !== undefined) return schema.const;
  if (values !== undefined) return values[0];
  if (type === "array") return items === undefined ? [] : [exampleOf(items, named)];
  if (type !== "object") return undefined;
  const members = Object.entries(properties).map(([name, own]) => [name, exampleOf(own, named)]);
  return Object.fromEntries(members);
}
