import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Compile } from "typebox/schema";

// registry/server.schema.json is the registry's own, of 2025-12-11, the newest that it has released:
// https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json, from the repository
// modelcontextprotocol/static (MIT). What the registry checks besides, in the repository
// modelcontextprotocol/registry (internal/validators), is below.

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));

interface Input {
  readonly value?: string;
  readonly isSecret?: boolean;
  readonly variables?: Readonly<Record<string, Input>>;
}

interface ServerJson {
  readonly $schema: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly remotes: readonly {
    readonly type: string;
    readonly url: string;
    readonly headers: readonly (Input & { readonly name: string })[];
    readonly variables?: Readonly<Record<string, Input>>;
  }[];
}

const schema = read("registry/server.schema.json") as { readonly $id: string };
const server = read("../../../server.json") as ServerJson;
const validator = Compile(schema);

/** What is between braces in a template. */
const variablesIn = (template: string) => [...template.matchAll(/\{([^}]+)\}/g)].map(([, v]) => v);

test("server.json validates against the registry's schema, which it names", () => {
  const [isValid, errors] = validator.Errors(server);
  assert.deepEqual([isValid, errors], [true, []]);
  assert.equal(server.$schema, schema.$id);
  const { version: _version, ...incomplete } = server;
  for (const wrong of [incomplete, { ...server, title: "" }, { ...server, name: "org.example" }]) {
    assert.equal(validator.Check(wrong), false, JSON.stringify(wrong));
  }
});

test("server.json keeps the registry's further rules", () => {
  const { name, title, version: stated, remotes } = server;
  assert.match(name, /^[a-z0-9][a-z0-9.-]*[a-z0-9]\/[a-z0-9][a-z0-9._-]*[a-z0-9]$/i);
  assert.notEqual(title.trim(), "");
  assert.match(stated, /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/, "one version, not a range");

  assert.equal(remotes.length, 1);
  for (const { type, url, headers, variables = {} } of remotes) {
    assert.equal(type, "streamable-http");
    const { protocol, hostname, pathname } = new URL(url);
    assert.deepEqual([protocol, pathname], ["https:", "/v1/mcp"]);
    assert.doesNotMatch(hostname, /^(?:localhost|127\.|.*\.localhost$)/);
    // The publisher proves the namespace by its domain.
    const [namespace = ""] = name.split("/");
    assert.equal(namespace.split(".").toReversed().join("."), hostname);
    for (const each of variablesIn(url)) assert.ok(each !== undefined && each in variables);
    for (const { value = "", variables: own = {} } of headers) {
      assert.deepEqual(variablesIn(value), Object.keys(own));
    }
  }
});

test("server.json asks for the key as a secret, in the header that the service reads", () => {
  const [authorization] = server.remotes[0]?.headers ?? [];
  assert.equal(authorization?.name, "Authorization");
  assert.equal(authorization.value, "ApiKey {api_key}");
  assert.equal(authorization.isSecret, true);
  assert.equal(authorization.variables?.api_key?.isSecret, true);
});
