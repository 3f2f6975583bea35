import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Compile } from "typebox/schema";
import { version } from "../../../src/platform/shared/program/version.ts";
import { connectMcp, eras, textIn } from "../../support/mcp-client.ts";
import { startSharedService } from "../../support/service.ts";

// What the official client learns before its first call. Its calls: calls.test.ts.

const service = await startSharedService();
const { apiKey } = await service.newCustomer();
const authorization = `ApiKey ${apiKey}`;

interface Schema {
  readonly type?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly examples?: readonly string[];
}

/** Every object in a schema, itself included. */
function objectsIn(schema: Schema): Schema[] {
  const inner = Object.values(schema.properties ?? {}).flatMap(objectsIn);
  return schema.type === "object" ? [schema, ...inner] : inner;
}

/** The arguments of each tool, which are all texts, and its units. */
const tools = [
  ["get_rate", ["base", "quote", "date"], 1],
  ["convert_currency", ["base", "quote", "amount", "date"], 1],
  ["get_usage", [], 0],
] as const;

const points = [
  /decimal strings: keep them as text/,
  /all its digits, its as_of and its source/,
  /say so if you round/,
  /kurs\/rate-source/,
  /kurs\/rate-missed/,
  /kurs\/rate-next/,
  /historical rate, and only then, pass a date/,
  /kurs:\/\/pairs lists the pairs/,
  /get_rate and convert_currency cost one unit/,
  /unsupported_pair \(404\): charged\. Do not retry/,
  /EUR\/USD does not give USD\/EUR: neither invert nor cross/,
  /quota_exceeded \(429\): not charged\. The quota, or this key's limit.*until reset_at/,
  /temporarily_unavailable \(503\): retry once/,
  /invalid_asset_symbol, invalid_request: not charged/,
  /HTTP 401.*Authorization: ApiKey svc_live_….*no OAuth/,
];

for (const { name, mode, revision } of eras) {
  suite(`MCP client ${name}`, () => {
    const connected = () => connectMcp(service.url, { mode, authorization });

    test("agrees on the revision, and learns what the server is and how to quote a rate", async () => {
      await using mcp = await connected();
      const { client } = mcp;

      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      assert.deepEqual(client.getServerVersion(), { name: "kurs", title: "Kurs", version });
      const unchanging = { listChanged: false };
      const capabilities = { tools: unchanging, resources: unchanging };
      assert.deepEqual(client.getServerCapabilities(), capabilities);
      const text = client.getInstructions() ?? "";
      assert.ok(text.split(/\s+/).length <= 250, "an agent pays for each word");
      for (const point of points) assert.match(text.replaceAll("\n", " "), point);
    });

    test("lists three tools, each with its price, its hints and closed schemas of texts", async () => {
      await using mcp = await connected();

      const listed = (await mcp.client.listTools()).tools;

      assert.deepEqual(
        listed.map(({ name: tool, inputSchema, _meta }) => [
          tool,
          Object.keys(inputSchema.properties ?? {}),
          _meta?.["kurs/units"],
        ]),
        tools,
      );
      const schemas = listed.flatMap(({ inputSchema, outputSchema }) => [
        ...objectsIn(inputSchema as Schema),
        ...objectsIn(outputSchema as Schema),
      ]);
      // Those of the arguments and results, and two in the usage.
      assert.equal(schemas.length, 2 * listed.length + 2);
      for (const { required, properties, additionalProperties } of schemas) {
        assert.equal(additionalProperties, false);
        const names = Object.keys(properties ?? {}).filter((each) => each !== "date");
        assert.deepEqual(required, names);
      }
      const reading = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
      for (const { name: tool, title, description, inputSchema, annotations, _meta } of listed) {
        const isFree = _meta?.["kurs/units"] === 0;
        assert.match(title ?? "", /^[A-Z]\w/);
        assert.match(description ?? "", isFree ? /Costs nothing\.$/ : /Costs one unit of .+ quota/);
        assert.deepEqual(annotations, { ...reading, idempotentHint: isFree }, tool);
        for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
          // No constraint by which a client could reject a symbol: the service validates.
          assert.deepEqual(Object.keys(schema as Schema).sort(), [
            "description",
            "examples",
            "type",
          ]);
          const type = argument === "date" ? ["string", "null"] : "string";
          assert.deepEqual((schema as Schema).type, type);
        }
      }
    });

    test("gets results that validate against the tool's schema, and a widened one does not", async () => {
      await using mcp = await connected();
      const listed = (await mcp.client.listTools()).tools;

      for (const { name: tool, outputSchema, inputSchema } of listed) {
        const given: Record<string, string | null> = examplesOf(inputSchema as Schema);
        // As clients send that fill in every argument.
        if ("date" in given) given.date = null;
        const { structuredContent, ...result } = await mcp.call(tool, given);
        const value = structuredContent as Record<string, unknown>;
        const validator = Compile(outputSchema as object);
        assert.deepEqual(Object.keys(value), (outputSchema as Schema).required);
        assert.equal(validator.Check(value), true, tool);
        assert.equal(validator.Check(JSON.parse(textIn(result))), true, tool);
        assert.equal(validator.Check({ ...value, more: 1 }), false, tool);
        assert.equal(validator.Check({ ...value, [Object.keys(value)[0] ?? ""]: null }), false);
        if (tool === "get_usage") {
          const usage = { ...(value.usage as object), more: 1 };
          assert.equal(validator.Check({ ...value, usage }), false);
        }
        // The examples of a conversion form a correct one.
        if (tool !== "convert_currency") continue;
        const told = examplesOf(outputSchema as Schema);
        assert.ok(Object.keys(told).length >= 5);
        for (const [member, example] of Object.entries(told)) {
          assert.equal(value[member], example, member);
        }
      }
    });
  });
}

/** The first example of each member that has one. */
function examplesOf({ properties = {} }: Schema): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, { examples = [] }]) =>
      examples.slice(0, 1).map((example) => [name, example]),
    ),
  );
}
