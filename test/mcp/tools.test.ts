import assert from "node:assert/strict";
import { test } from "node:test";
import { Compile } from "typebox/schema";
import { connectMcp, envelopeIn, eras, textIn } from "../support/mcp-client.ts";
import { startSharedService } from "../support/service.ts";

const service = await startSharedService();
const { session, apiKey } = await service.newCustomer();
const authorization = `ApiKey ${apiKey}`;

/** Arguments with which each tool succeeds. */
const given: Readonly<Record<string, Record<string, string>>> = {
  get_rate: { base: "EUR", quote: "USD" },
  convert_currency: { base: "EUR", quote: "USD", amount: "2" },
  get_usage: {},
};

interface Schema {
  readonly type?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
}

/** Every object in a schema, itself included. */
function objectsIn(schema: Schema): Schema[] {
  const inner = Object.values(schema.properties ?? {}).flatMap(objectsIn);
  return schema.type === "object" ? [schema, ...inner] : inner;
}

for (const { name: era, mode } of eras) {
  test(`MCP tools ${era}: no object of a schema has an optional or a further member`, async () => {
    await using mcp = await connectMcp(service.url, { mode, authorization });

    const { tools } = await mcp.client.listTools();

    const schemas = tools.flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema]);
    const objects = schemas.flatMap((schema) => objectsIn(schema as Schema));
    // Those of the arguments and results, and two in the usage.
    assert.equal(objects.length, 2 * tools.length + 2);
    for (const { required, properties, additionalProperties } of objects) {
      assert.equal(additionalProperties, false);
      assert.deepEqual(required, Object.keys(properties ?? {}));
    }
  });

  test(`MCP tools ${era}: each states its price, and whether a second call costs again`, async () => {
    await using mcp = await connectMcp(service.url, { mode, authorization });

    const { tools } = await mcp.client.listTools();

    const reading = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
    for (const { name, title, annotations, _meta } of tools) {
      const before = await service.usedUnits(session);
      await mcp.call(name, given[name]);
      const units = (await service.usedUnits(session)) - before;
      assert.deepEqual(_meta, { "kurs/units": units }, name);
      assert.deepEqual(annotations, { ...reading, idempotentHint: units === 0 }, name);
      assert.match(title ?? "", /^[A-Z]/);
    }
  });

  test(`MCP tools ${era}: a result validates against the tool's schema, a widened one not`, async () => {
    await using mcp = await connectMcp(service.url, { mode, authorization });
    const { tools } = await mcp.client.listTools();

    for (const { name, outputSchema } of tools) {
      const { structuredContent, ...result } = await mcp.call(name, given[name]);
      const validator = Compile(outputSchema as object);
      assert.equal(validator.Check(structuredContent), true, name);
      assert.equal(validator.Check(JSON.parse(textIn(result))), true, name);
      assert.equal(validator.Check({ ...(structuredContent as object), more: 1 }), false, name);
      const [[first = ""] = []] = Object.entries(structuredContent as object);
      assert.equal(validator.Check({ ...(structuredContent as object), [first]: null }), false);
    }
    const { outputSchema } = tools.find(({ name }) => name === "get_usage") ?? {};
    const usage = (await mcp.call("get_usage")).structuredContent as Record<string, object>;
    const widened = { ...usage, usage: { ...usage.usage, more: 1 } };
    assert.equal(Compile(outputSchema as object).Check(widened), false);
  });

  test(`MCP tools ${era}: what an agent reads before its first call costs nothing`, async () => {
    const before = await service.usedUnits(session);
    await using mcp = await connectMcp(service.url, { mode, authorization });

    await mcp.client.listTools();
    await mcp.client.listResources();
    await mcp.client.listResourceTemplates();
    await mcp.client.readResource({ uri: "kurs://pairs/EUR" });

    assert.equal(await service.usedUnits(session), before);
  });

  test(`MCP instructions ${era}: how to quote a rate, and what to do about each failure`, async () => {
    await using mcp = await connectMcp(service.url, { mode, authorization });

    const text = mcp.client.getInstructions() ?? "";

    assert.ok(text.split(/\s+/).length <= 250, "an agent pays for each word");
    const points = [
      /all its digits, its as_of and its source/,
      /say so if you round/,
      /kurs\/rate-source/,
      /kurs\/rate-missed/,
      /kurs\/rate-next/,
      /get_rate and convert_currency cost one unit/,
      /unsupported_pair \(404\): charged\. Do not retry/,
      /EUR\/USD does not give USD\/EUR: neither invert nor cross/,
      /quota_exceeded \(429, the only one here\): not charged.*until reset_at/,
      /temporarily_unavailable \(503\): retry once/,
      /HTTP 401.*Authorization: ApiKey svc_live_….*no OAuth/,
    ];
    for (const point of points) assert.match(text.replaceAll("\n", " "), point);
  });
}

test("MCP instructions: what they say about a failure's cost is what it costs", async () => {
  const told = { unsupported_pair: 1, invalid_asset_symbol: 0, invalid_request: 0 };
  const [{ mode }] = eras;
  await using mcp = await connectMcp(service.url, { mode, authorization });
  const calls = [
    ["get_rate", { base: "EUR", quote: "NONE" }],
    ["get_rate", { base: "E", quote: "USD" }],
    ["convert_currency", { base: "EUR", quote: "USD", amount: "1,5" }],
  ] as const;

  const costs: Record<string, number> = {};
  for (const [tool, args] of calls) {
    const before = await service.usedUnits(session);
    const { code } = envelopeIn(await mcp.call(tool, args));
    costs[String(code)] = (await service.usedUnits(session)) - before;
  }

  assert.deepEqual(costs, told);
  // Units used up cost no more: meter.test.ts.
});
