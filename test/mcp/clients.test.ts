import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { SdkHttpError } from "@modelcontextprotocol/client";
import { version } from "../../src/version.ts";
import { connectMcp, envelopeIn, eras, type McpClient, textIn } from "../support/mcp-client.ts";
import { startSharedService } from "../support/service.ts";

const RATE = "0.00012345678901234567890123456789012345";
const AMOUNT = "98765432109876543210.12345678901234567890";
/** Worked out with another program's decimals. */
const PRODUCT = "12193263113702179.5225118122210028952304555707219343087927393537645950602050";

const TOOLS = ["get_rate", "convert_currency", "get_usage"];
const EUR_USD = { base: "EUR", quote: "USD" };

const service = await startSharedService();
service.storeRate("MANY", "DIGITS", RATE);

/** A new account with its session, its key and the client that has the key. */
async function connected(mode: (typeof eras)[number]["mode"]) {
  const { session, keyId: id, apiKey } = await service.newCustomer();
  const mcp = await connectMcp(service.url, { mode, authorization: `ApiKey ${apiKey}` });
  const used = () => service.usedUnits(session);
  return { ...mcp, session, id, apiKey, used };
}

/** Calls a tool once its output schema is known: from then on the client holds results to it. */
async function callChecked(mcp: McpClient, name: string, given: Record<string, unknown> = {}) {
  await mcp.client.listTools();
  const result = await mcp.call(name, given);
  assert.equal(result.isError, undefined, JSON.stringify(result));
  assert.deepEqual(result.structuredContent, JSON.parse(textIn(result)));
  return result;
}

/** What the client makes of a request whose credential is refused. */
function isRefused(error: unknown): true {
  assert.ok(error instanceof SdkHttpError, String(error));
  assert.equal(error.status, 401);
  const { code, message } = JSON.parse(String(error.data.text)) as Record<string, unknown>;
  assert.deepEqual([code, message], ["unauthorized", "A valid API key is required."]);
  return true;
}

for (const { name, mode, revision } of eras) {
  suite(`MCP client ${name}`, () => {
    test("agrees on the revision and learns who serves, and that rates are texts", async () => {
      await using mcp = await connected(mode);
      const { client } = mcp;

      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      assert.deepEqual(client.getServerVersion(), { name: "kurs", title: "Kurs", version });
      assert.deepEqual(client.getServerCapabilities(), { tools: { listChanged: false } });
      const instructions = client.getInstructions() ?? "";
      assert.match(instructions, /decimal strings: keep them as text/);
      assert.match(instructions, /EUR\/USD does not give USD\/EUR/);
      assert.match(instructions, /get_rate and convert_currency cost one unit/);
      assert.equal(await mcp.used(), 0);
    });

    test("lists three tools, each with what it costs and both its schemas", async () => {
      await using mcp = await connected(mode);

      const { tools } = await mcp.client.listTools();

      assert.deepEqual(
        tools.map((tool) => tool.name),
        TOOLS,
      );
      const inputs = tools.map(({ inputSchema }) => [
        inputSchema.required ?? [],
        Object.entries(inputSchema.properties ?? {}).map(([key, schema]) => {
          // Nothing that a client could refuse a symbol by: the service judges.
          assert.deepEqual(Object.keys(schema as object).sort(), [
            "description",
            "examples",
            "type",
          ]);
          return `${key}: ${(schema as { type: string }).type}`;
        }),
      ]);
      assert.deepEqual(inputs, [
        [
          ["base", "quote"],
          ["base: string", "quote: string"],
        ],
        [
          ["base", "quote", "amount"],
          ["base: string", "quote: string", "amount: string"],
        ],
        [[], []],
      ]);
      for (const { title, description, outputSchema, annotations, name: tool } of tools) {
        assert.match(title ?? "", /^[A-Z]\w/);
        const cost = tool === "get_usage" ? /Costs nothing\.$/ : /Costs one unit of .+ quota/;
        assert.match(description ?? "", cost);
        assert.equal(outputSchema?.type, "object");
        assert.deepEqual(annotations, { readOnlyHint: true, openWorldHint: false });
      }
      assert.equal(await mcp.used(), 0);
    });

    test("is promised by an output schema the very members that it gets", async () => {
      await using mcp = await connected(mode);
      const { tools } = await mcp.client.listTools();
      const given = { ...EUR_USD, amount: "2" };

      for (const { name: tool, outputSchema } of tools) {
        const { structuredContent } = await callChecked(mcp, tool, given);

        const members = Object.keys(structuredContent as object);
        assert.deepEqual(outputSchema?.required, members);
        assert.deepEqual(Object.keys(outputSchema?.properties ?? {}), members);
      }
    });

    test("gets from get_rate, for a unit, the bytes of the rate resource", async () => {
      await using mcp = await connected(mode);

      const result = await callChecked(mcp, "get_rate", EUR_USD);

      assert.equal(await mcp.used(), 1);
      const rest = await service.get("/v1/rates/EUR/USD", { apiKey: mcp.apiKey });
      assert.equal(rest.status, 200);
      assert.equal(textIn(result), rest.text);
    });

    test("gets from get_usage, for nothing, the bytes of the account's usage", async () => {
      await using mcp = await connected(mode);
      for (let read = 0; read < 3; read += 1) await mcp.call("get_rate", EUR_USD);

      const result = await callChecked(mcp, "get_usage");

      const rest = await service.get("/v1/account/usage", { session: mcp.session });
      assert.equal(rest.status, 200);
      assert.equal(textIn(result), rest.text);
      assert.equal(await mcp.used(), 3);
    });

    test("gets from convert_currency, for a unit, every digit of the product", async () => {
      await using mcp = await connected(mode);

      const result = await callChecked(mcp, "convert_currency", {
        base: " many ",
        quote: "digits",
        amount: AMOUNT,
      });

      assert.equal(await mcp.used(), 1);
      const rest = await service.get("/v1/rates/MANY/DIGITS", { apiKey: mcp.apiKey });
      assert.equal(rest.body.rate, RATE);
      assert.deepEqual(result.structuredContent, {
        ...rest.body,
        amount: AMOUNT,
        result: PRODUCT,
      });
    });

    const failures = [
      ["get_rate", { base: "EUR", quote: "NONE" }, "unsupported_pair", 1],
      ["get_rate", { base: "E", quote: "USD" }, "invalid_asset_symbol", 0],
      ["get_rate", { base: 5, quote: "USD" }, "invalid_request", 0],
      ["convert_currency", { ...EUR_USD, amount: "-1" }, "invalid_request", 0],
      ["convert_currency", { ...EUR_USD, amount: 1 }, "invalid_request", 0],
    ] as const;

    test("takes a failure as a result: the envelope of REST, without structure", async () => {
      await using mcp = await connected(mode);
      await mcp.client.listTools();
      let used = 0;

      for (const [tool, given, code, units] of failures) {
        const envelope = envelopeIn(await mcp.call(tool, given));

        assert.deepEqual(Object.keys(envelope), ["code", "message", "request_id"]);
        assert.equal(envelope.code, code);
        used += units;
        assert.equal(await mcp.used(), used, `${tool} ${JSON.stringify(given)}`);
      }
      const unsupported = envelopeIn(await mcp.call("get_rate", { base: "EUR", quote: "NONE" }));
      const { body } = await service.get("/v1/rates/EUR/NONE", { apiKey: mcp.apiKey });
      assert.deepEqual([body.code, body.message], [unsupported.code, unsupported.message]);
    });

    test("is told of a tool that there is not by an error of the protocol", async () => {
      await using mcp = await connected(mode);

      await assert.rejects(mcp.call("set_rate", EUR_USD), { code: -32602 });
      assert.equal(await mcp.used(), 0);
    });

    test("does not connect without a good key, nor with a session", async () => {
      const { session, keyId: id, apiKey } = await service.newCustomer();
      await service.revokeKey(session, id);
      const logged = service.logLines.length;
      const credentials = [
        `Session ${session}`,
        `ApiKey ${session}`,
        `ApiKey svc_live_${"0".repeat(64)}`,
        `ApiKey ${apiKey}`,
        `Bearer ${apiKey}`,
        "ApiKey",
      ];

      for (const authorization of credentials) {
        await assert.rejects(connectMcp(service.url, { mode, authorization }), isRefused);
      }
      assert.equal(await service.usedUnits(session), 0);
      const log = service.logLines.slice(logged).join("");
      assert.equal(log.includes(session) || log.includes(apiKey), false);
    });

    test("is refused on its very next call once its key is revoked, uncharged", async () => {
      await using mcp = await connected(mode);
      const { apiKey: otherKey } = await service.createKey(mcp.session);
      const authorization = `ApiKey ${otherKey}`;
      await using other = await connectMcp(service.url, { mode, authorization });
      await mcp.call("get_rate", EUR_USD);

      const path = `/v1/account/api-keys/${mcp.id}`;
      assert.equal((await service.call("DELETE", path, { session: mcp.session })).status, 204);

      await assert.rejects(mcp.call("get_rate", EUR_USD), isRefused);
      await assert.rejects(mcp.call("get_usage"), isRefused);
      await assert.rejects(mcp.call("convert_currency", { ...EUR_USD, amount: "1" }), isRefused);
      assert.equal(await mcp.used(), 1);
      assert.equal((await other.call("get_rate", EUR_USD)).isError, undefined);
      assert.equal(await mcp.used(), 2);
    });
  });
}

test("MCP schemas: the examples of convert_currency are one true conversion", async () => {
  await using mcp = await connected("auto");
  const { tools } = await mcp.client.listTools();
  const tool = tools.find(({ name }) => name === "convert_currency");
  const examplesOf = (schema: unknown) => {
    const { properties } = schema as { properties: Record<string, { examples?: string[] }> };
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, { examples = [] }]) =>
        examples.slice(0, 1).map((example) => [name, example]),
      ),
    );
  };
  const told = examplesOf(tool?.outputSchema);

  const result = await callChecked(mcp, "convert_currency", examplesOf(tool?.inputSchema));

  const converted = result.structuredContent as Record<string, unknown>;
  assert.ok(Object.keys(told).length >= 5);
  for (const [name, example] of Object.entries(told)) assert.equal(converted[name], example, name);
});
