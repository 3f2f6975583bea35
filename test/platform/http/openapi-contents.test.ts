import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertFits,
  type Content,
  headersOf,
  type Json,
  type OpenApiDocument,
  operationOf,
} from "../../support/openapi.ts";
import { startSharedService } from "../../support/service.ts";

// What generators make code of: names, examples, the licence.

const service = await startSharedService();
const document = (await service.get("/openapi.json")).body as unknown as OpenApiDocument;

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Json;
    readonly example: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => {
    const operation = operationOf(document, method, path);
    return { method, path, ...operation, ...(operation as unknown as Described) };
  }),
);

test("OpenAPI: every operation has a method name of its own, and says what it does", () => {
  const names = operations.map(({ operationId }) => operationId);

  assert.equal(new Set(names).size, names.length);
  for (const { method, operationId, summary, description } of operations) {
    assert.match(operationId, /^[a-z]+(?:[A-Z][a-z]+)*$/);
    if (method === "get") assert.match(operationId, /^(?:get|list|export)[A-Z]/);
    if (method === "head") assert.match(operationId, /^head[A-Z]/);
    assert.match(summary, /^[A-Z].+[^.]$/);
    assert.match(description, /^[A-Z].+\.$/s, operationId);
  }
});

test("OpenAPI: no component has the name of a global class of browsers or JavaScript", () => {
  const names = Object.keys(document.components.schemas);

  assert.ok(names.includes("ErrorResponse"));
  const globals = ["Error", "Event", "Response", "Request", "Headers", "Object", "Map", "Set"];
  assert.deepEqual(
    names.filter((name) => globals.includes(name)),
    [],
  );
});

test("OpenAPI: the document names the licence of package.json and the service's own address", () => {
  assert.deepEqual(document.info.license, { name: "MIT", identifier: "MIT" });
  const contact = { name: "The operator of this service", url: service.url };
  assert.deepEqual(document.info.contact, contact);
});

/** Every example in a schema, with the schema that it illustrates. */
function examplesIn(
  schema: unknown,
): readonly { readonly schema: Json; readonly value: unknown }[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { examples } = schema as Json;
  const own = Array.isArray(examples)
    ? examples.map((value: unknown) => ({ schema: schema as Json, value }))
    : [];
  return [...own, ...Object.values(schema).flatMap(examplesIn)];
}

test("OpenAPI: every parameter has an example that its schema allows", () => {
  const parameters = operations.flatMap(({ parameters = [] }) => parameters);
  assert.ok(parameters.length >= 16, `only ${parameters.length} parameters`);

  for (const { schema, example } of parameters) assertFits(document, schema, example);
});

test("OpenAPI: every body of a request or response has examples that its schema allows", () => {
  let bodies = 0;
  for (const { operationId, method, requestBody, responses } of operations) {
    const contents = [requestBody?.content, ...Object.values(responses).map((one) => one.content)];
    for (const content of contents) {
      const { schema, example, examples } = content?.["application/json"] ?? {};
      if (schema === undefined) continue;
      bodies += 1;
      const values = Object.values(examples ?? {}).map(({ value }) => value);
      if (example !== undefined) values.push(example);
      assert.ok(values.length > 0, `${operationId} has a body without an example`);
      for (const value of values) {
        assertFits(document, schema, value);
      }
    }
    if (method === "head") assert.ok(Object.values(responses).every((one) => !one.content));
  }
  assert.ok(bodies > 150, `only ${bodies} bodies`);
});

test("OpenAPI: every header of a response has an example that its schema allows", () => {
  for (const { responses } of operations) {
    for (const response of Object.values(responses)) {
      const headers = headersOf(document, response);
      assert.equal(headers.get("x-request-id")?.required, true);
      for (const { schema, example } of headers.values()) assertFits(document, schema, example);
    }
  }
});

test("OpenAPI: every example of a component is one that its schema allows", () => {
  const examples = examplesIn(document.components.schemas);
  assert.ok(examples.length > 50, `only ${examples.length} examples`);

  for (const { schema, value } of examples) assertFits(document, schema, value);
});
