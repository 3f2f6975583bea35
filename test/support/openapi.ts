import assert from "node:assert/strict";
import { Compile, type Validator } from "typebox/schema";
import type { Answer } from "./client.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly security?: readonly Json[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Json>>;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface Content {
  readonly schema: Json;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface DocumentedHeader {
  readonly required: boolean;
  readonly schema: Json;
  readonly example: unknown;
}

/** The parts of an OpenAPI document that tests read. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<"schemas" | "headers", Readonly<Record<string, Json>>>>;
}

/** @returns the operation of a path as written in the document, with parameters in braces. */
export function operationOf(document: OpenApiDocument, method: string, path: string): Operation {
  const operation = document.paths[path]?.[method.toLowerCase()];
  assert.ok(operation !== undefined, `${method} ${path} is not documented`);
  return operation;
}

const patterns = new WeakMap<OpenApiDocument, readonly (readonly [string, RegExp])[]>();

/** @returns the document's path for a request target. */
export function documentedPathOf(document: OpenApiDocument, target: string): string | undefined {
  const [raw = ""] = target.replace(/^https?:\/\/[^/?#]*/, "").split(/[?#]/);
  const path = decoded(raw);
  return patternsOf(document).find(([, pattern]) => pattern.test(path))?.[0];
}

function patternsOf(document: OpenApiDocument) {
  const known = patterns.get(document);
  if (known !== undefined) return known;
  const created = Object.keys(document.paths).map((path) => {
    const pattern = path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
    return [path, new RegExp(`^${pattern}$`)] as const;
  });
  patterns.set(document, created);
  return created;
}

/** Decodes escapes as the router does: all except those of reserved characters. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Asserts that an operation documents a response: its status, headers, code and body. */
export function assertDocumented(document: OpenApiDocument, operation: Operation, answer: Answer) {
  const { status, text, body, headers } = answer;
  const response = operation.responses[status];
  assert.ok(response !== undefined, `${status} is not documented: ${text}`);
  assertHeaders(document, response, answer);
  if (response.content === undefined) {
    assert.equal(text, "");
    if (status === 204) assert.equal(headers["content-type"], undefined);
    return;
  }
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";");
  const schema = response.content[mediaType]?.schema;
  assert.ok(schema !== undefined, `${status} is not documented as ${mediaType}`);
  assertFits(document, schema, body);
  if (status >= 400) {
    const { code } = body;
    assert.ok(response.description.includes(`\`${code}\``), `${status} ${code} is not documented`);
  }
}

/** Headers of every response that say nothing about its operation. */
const undocumented = /^(?:access-control-\w|cache-control|connection|content-(?:length|type)$)/;
const security =
  /^(?:content-security-policy|referrer-policy|strict-transport-security|x-content|x-frame)/;
const transport = /^(?:date|keep-alive|transfer-encoding)$/;

function assertHeaders(document: OpenApiDocument, response: DocumentedResponse, answer: Answer) {
  const documented = headersOf(document, response);
  for (const [name, { required, schema }] of documented) {
    const value = answer.headers[name];
    if (value === undefined) assert.ok(!required, `${answer.status} has no ${name}`);
    else assertFits(document, schema, schema.type === "integer" ? Number(value) : value);
  }
  const names = Object.keys(answer.headers).filter(
    (name) => ![undocumented, security, transport].some((known) => known.test(name)),
  );
  const unknown = names.filter((name) => !documented.has(name));
  assert.deepEqual(unknown, [], `${answer.status} has headers that are not documented`);
}

/** @returns a response's headers by their names in lower case, those of components too. */
export function headersOf(
  document: OpenApiDocument,
  { headers }: DocumentedResponse,
): ReadonlyMap<string, DocumentedHeader> {
  const entries = Object.entries(headers).map(([name, header]) => {
    const component = String(header.$ref ?? "").replace("#/components/headers/", "");
    const found = header.$ref === undefined ? header : document.components.headers[component];
    assert.ok(found !== undefined, `${header.$ref} points nowhere`);
    return [name.toLowerCase(), found as unknown as DocumentedHeader] as const;
  });
  return new Map(entries);
}

const validators = new WeakMap<Json, Validator>();

function validatorOf(document: OpenApiDocument, schema: Json): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validator = Compile(withoutReferences(document, schema));
  validators.set(schema, validator);
  return validator;
}

/** Asserts that a schema of the document allows a value; an undocumented member is an error, too. */
export function assertFits(document: OpenApiDocument, schema: Json, value: unknown): void {
  const validator = validatorOf(document, schema);
  if (validator.Check(value)) return;
  const [, errors] = validator.Errors(value);
  const problems = errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
  assert.fail(
    `${JSON.stringify(value).slice(0, 500)} does not fit its schema: ${problems.join("; ")}`,
  );
}

/** Replaces each local reference with its target, and closes every object that is not open. */
function withoutReferences(document: OpenApiDocument, schema: unknown): Json {
  if (typeof schema !== "object" || schema === null) return schema as Json;
  if (Array.isArray(schema)) {
    return schema.map((item) => withoutReferences(document, item)) as unknown as Json;
  }
  const { $ref, allOf, ...own } = schema as Json;
  if (typeof $ref === "string") return withoutReferences(document, targetOf(document, $ref));
  if (Array.isArray(allOf)) return joined(allOf.map((part) => withoutReferences(document, part)));
  const resolved = Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, withoutReferences(document, value)]),
  );
  return own.type === "object" ? { additionalProperties: false, ...resolved } : resolved;
}

function targetOf(document: OpenApiDocument, reference: string): Json {
  const target = document.components.schemas[reference.replace("#/components/schemas/", "")];
  assert.ok(target !== undefined, `${reference} points nowhere`);
  return target;
}

/** One closed object for several: each alone would reject the members of the others. */
function joined(parts: readonly Json[]): Json {
  const properties: Record<string, { allOf: unknown[] }> = {};
  for (const part of parts) {
    for (const [name, own] of Object.entries(part.properties ?? {})) {
      properties[name] ??= { allOf: [] };
      properties[name].allOf.push(own);
    }
  }
  const required = [...new Set(parts.flatMap((part) => part.required as readonly string[]))];
  return { type: "object", required, properties, additionalProperties: false };
}
