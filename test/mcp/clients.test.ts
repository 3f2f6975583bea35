import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { SdkHttpError } from "@modelcontextprotocol/client";
import { version } from "../../src/shared/program/version.ts";
import { connectMcp, envelopeIn, eras, type McpClient, textIn } from "../support/mcp-client.ts";
import { startSharedService } from "../support/service.ts";

const RATE = "0.00012345678901234567890123456789012345";
const AMOUNT = "98765432109876543210.12345678901234567890";
/** Computed with another program's decimals. */
const PRODUCT = "12193263113702179.5225118122210028952304555707219343087927393537645950602050";

const TOOLS = ["get_rate", "convert_currency", "get_usage"];
const EUR_USD = { base: "EUR", quote: "USD" };

const service = await startSharedService();
service.storeRate("MANY", "DIGITS", RATE);

/** A new account with its session, its key and a client that uses the key. */
async function connected(mode: (typeof eras)[number]["mode"]) {
  const { session, keyId: id, apiKey } = await service.newCustomer();
  const mcp = await connectMcp(service.url, { mode, authorization: `ApiKey ${apiKey}` });
  const used = () => service.usedUnits(session);
  return { ...mcp, session, id, apiKey, used };
}

/** Calls a tool after fetching its output schema: from then on the client validates results. */
async function callChecked(mcp: McpClient, name: string, given: Record<string, unknown> = {}) {
  await mcp.client.listTools();
  const result = await mcp.call(name, given);
  assert.equal(result.isError, undefined, JSON.stringify(result));
  assert.deepEqual(result.structuredContent, JSON.parse(textIn(result)));
  return result;
}

/** The client's error for a request whose credential was rejected. */
function isRejected(error: unknown): true {
  assert.ok(error instanceof SdkHttpError, String(error));
  assert.equal(error.status, 401);
  const { code, message } = JSON.parse(String(error.data.text)) as Record<string, unknown>;
  assert.deepEqual([code, message], ["unauthorized", "A valid API key is required."]);
  return true;
}

for (const { name, mode, revision } of eras) {
  suite(`MCP client ${name}`, () => {
    test("agrees on the revision and learns the server's name and that rates are strings", async () => {
      await using mcp = await connected(mode);
      const { client } = mcp;

      assert.equal(client.getNegotiatedProtocolVersion(), revision);
      assert.deepEqual(client.getServerVersion(), { name: "kurs", title: "Kurs", version });
      const unchanging = { listChanged: false };
      const capabilities = { tools: unchanging, resources: unchanging };
      assert.deepEqual(client.getServerCapabilities(), capabilities);
      assert.match(client.getInstructions() ?? "", /decimal strings: keep them as text/);
      assert.equal(await mcp.used(), 0);
    });

    test("lists three tools, each with its cost and both schemas", async () => {
      await using mcp = await connected(mode);

      const { tools } = await mcp.client.listTools();

      assert.deepEqual(
        tools.map((tool) => tool.name),
        TOOLS,
      );
      const inputs = tools.map(({ inputSchema }) => [
        inputSchema.required ?? [],
        Object.entries(inputSchema.properties ?? {}).map(([key, schema]) => {
          // No constraint by which a client could reject a symbol: the service validates.
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
        assert.equal(annotations?.readOnlyHint, true, tool);
      }
      assert.equal(await mcp.used(), 0);
    });

    test("gets exactly the members that the output schema requires", async () => {
      await using mcp = await connected(mode);
      const { tools } = await mcp.client.listTools();
      const values: Record<string, string> = { ...EUR_USD, amount: "2" };

      for (const { name: tool, inputSchema, outputSchema } of tools) {
        const names = Object.keys(inputSchema.properties ?? {});
        const given = Object.fromEntries(names.map((name) => [name, values[name]]));
        const { structuredContent } = await callChecked(mcp, tool, given);

        const members = Object.keys(structuredContent as object);
        assert.deepEqual(outputSchema?.required, members);
        assert.deepEqual(Object.keys(outputSchema?.properties ?? {}), members);
      }
    });

    test("gets the bytes of the rate resource from get_rate, for one unit", async () => {
      await using mcp = await connected(mode);

      const result = await callChecked(mcp, "get_rate", EUR_USD);

      assert.equal(await mcp.used(), 1);
      const rest = await service.get("/v1/rates/EUR/USD", { apiKey: mcp.apiKey });
      assert.equal(rest.status, 200);
      assert.equal(textIn(result), rest.text);
    });

    test("gets the bytes of the account's usage from get_usage, for no unit", async () => {
      await using mcp = await connected(mode);
      for (let read = 0; read < 3; read += 1) await mcp.call("get_rate", EUR_USD);

      const result = await callChecked(mcp, "get_usage");

      const rest = await service.get("/v1/account/usage", { session: mcp.session });
      assert.equal(rest.status, 200);
      assert.equal(textIn(result), rest.text);
      assert.equal(await mcp.used(), 3);
    });

    test("gets every digit of the product from convert_currency, for one unit", async () => {
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

    test("gets a failure as a tool result: REST's envelope, without structured content", async () => {
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

    test("gets a protocol error for an unknown tool", async () => {
      await using mcp = await connected(mode);

      await assert.rejects(mcp.call("set_rate", EUR_USD), { code: -32602 });
      assert.equal(await mcp.used(), 0);
    });

    test("cannot connect without a valid key or with a session", async () => {
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
        await assert.rejects(connectMcp(service.url, { mode, authorization }), isRejected);
      }
      assert.equal(await service.usedUnits(session), 0);
      const log = service.logLines.slice(logged).join("");
      assert.equal(log.includes(session) || log.includes(apiKey), false);
    });

    test("is rejected at its next call after its key is revoked, uncharged", async () => {
      await using mcp = await connected(mode);
      const { apiKey: otherKey } = await service.createKey(mcp.session);
      const authorization = `ApiKey ${otherKey}`;
      await using other = await connectMcp(service.url, { mode, authorization });
      await mcp.call("get_rate", EUR_USD);

      const path = `/v1/account/api-keys/${mcp.id}`;
      assert.equal((await service.call("DELETE", path, { session: mcp.session })).status, 204);

      await assert.rejects(mcp.call("get_rate", EUR_USD), isRejected);
      await assert.rejects(mcp.call("get_usage"), isRejected);
      await assert.rejects(mcp.call("convert_currency", { ...EUR_USD, amount: "1" }), isRejected);
      assert.equal(await mcp.used(), 1);
      assert.equal((await other.call("get_rate", EUR_USD)).isError, undefined);
      assert.equal(await mcp.used(), 2);
    });
  });
}

test("MCP schemas: the examples of convert_currency form one correct conversion", async () => {
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
