import assert from "node:assert/strict";
import { Compile, type Validator } from "typebox/schema";
import type { Answer } from "./client.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly security?: readonly Json[];
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Json;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

/** The parts of an OpenAPI document that tests read. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

/** @returns the operation of a path as written in the document, with parameters in braces. */
export function operationOf(document: OpenApiDocument, method: string, path: string): Operation {
  const operation = document.paths[path]?.[method.toLowerCase()];
  assert.ok(operation !== undefined, `${method} ${path} is not documented`);
  return operation;
}

/** Asserts that an operation documents a response: its status, code and body. */
export function assertDocumented(document: OpenApiDocument, operation: Operation, answer: Answer) {
  const { status, text, body, headers } = answer;
  const response = operation.responses[status];
  assert.ok(response !== undefined, `${status} is not documented: ${text}`);
  if (response.content === undefined) {
    assert.equal(text, "");
    // A 304 has the headers of the 200 whose body it leaves out.
    if (status !== 304) assert.equal(headers["content-type"], undefined);
    return;
  }
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";");
  const schema = response.content[mediaType]?.schema;
  assert.ok(schema !== undefined, `${status} is not documented as ${mediaType}`);
  assertFits(validatorOf(document, schema), body, text);
  if (status >= 400) {
    const { code } = body;
    assert.ok(response.description.includes(`\`${code}\``), `${status} ${code} is not documented`);
  }
}

const validators = new WeakMap<Json, Validator>();

function validatorOf(document: OpenApiDocument, schema: Json): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validator = Compile(withoutReferences(document, schema));
  validators.set(schema, validator);
  return validator;
}

function assertFits(validator: Validator, value: unknown, text: string): void {
  if (validator.Check(value)) return;
  const [, errors] = validator.Errors(value);
  const problems = errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
  assert.fail(`${text} does not fit its schema: ${problems.join("; ")}`);
}

/**
 * Replaces each local reference with its target, and closes every object: an undocumented member is
 * an error, too.
 */
function withoutReferences(document: OpenApiDocument, schema: unknown): Json {
  if (typeof schema !== "object" || schema === null) return schema as Json;
  if (Array.isArray(schema)) {
    return schema.map((item) => withoutReferences(document, item)) as unknown as Json;
  }
  const { $ref, ...own } = schema as Json;
  if (typeof $ref === "string") {
    const name = $ref.replace("#/components/schemas/", "");
    const target = document.components.schemas[name];
    assert.ok(target !== undefined, `${$ref} points nowhere`);
    return withoutReferences(document, target);
  }
  const resolved = Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, withoutReferences(document, value)]),
  );
  return own.type === "object" ? { ...resolved, additionalProperties: false } : resolved;
}
