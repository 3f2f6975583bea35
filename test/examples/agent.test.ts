import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { startServer } from "../support/other-server.ts";
import { startSharedService } from "../support/service.ts";
import { runExample } from "./example.ts";
import { converting, startModel } from "./model.ts";

const service = await startSharedService();

const ask = (apiKey: string, modelUrl: string) =>
  runExample("agent.ts", ["What", "are 1250.50 euros in dollars?"], {
    ...{ KURS_URL: service.url, KURS_API_KEY: apiKey, OPENAI_BASE_URL: modelUrl },
    ...{ OPENAI_API_KEY: "secret-of-the-vendor", OPENAI_MODEL: "tiny" },
  });

suite("the example of an agent", { concurrency: 2 }, () => {
  test("prints the rate with all digits, its time and source, whatever the model says", async () => {
    await using model = await startModel(converting, { answer: "About 1435 dollars." });
    const { session, apiKey } = await service.newCustomer();

    const ended = await ask(apiKey, model.url);

    assert.equal(ended.stderr, "");
    assert.equal(
      ended.stdout,
      `About 1435 dollars.

1250.50 EUR = 1435.073800 USD: 1 EUR = 1.1476 USD, as of 2026-03-13T15:00:00.000000000Z, source ecb;name="European Central Bank", publications missed since: 99
Units charged: 1
`,
    );
    assert.equal(ended.exitCode, 0);
    assert.equal(await service.usedUnits(session), 1);
    const [first, second] = model.requests;
    assert.equal(model.requests.length, 2);
    assert.equal(first?.authorization, "Bearer secret-of-the-vendor");
    assert.equal(first.body.model, "tiny");
    const names = first.body.tools.map((tool) => tool.function.name);
    assert.deepEqual(names, ["get_rate", "convert_currency", "get_usage"]);
    const [system, user] = first.body.messages;
    assert.match(
      String(system?.content),
      /Quote a rate with all its digits, its as_of and its source/,
    );
    assert.equal(user?.content, "What are 1250.50 euros in dollars?");
    const result = second?.body.messages.at(-1);
    assert.deepEqual([result?.role, result?.tool_call_id], ["tool", "call_1"]);
    assert.match(String(result?.content), /1\.1476.*European Central Bank/);
    assert.doesNotMatch(JSON.stringify(model.requests), /svc_live_\w/);
  });

  test("tells the model its mistakes, and counts what a pair without a rate cost", async () => {
    await using model = await startModel(
      { tool: "convert_currency", json: "{" },
      { tool: "guess", json: "{}" },
      { tool: "get_rate", json: '{"base":"USD","quote":"NONE"}' },
      { answer: "There is no such rate." },
    );
    const { session, apiKey } = await service.newCustomer();

    const { exitCode, stdout } = await ask(apiKey, model.url);

    assert.deepEqual([exitCode, stdout], [0, "There is no such rate.\n\nUnits charged: 1\n"]);
    assert.equal(await service.usedUnits(session), 1);
    const told = model.requests.at(-1)?.body.messages.filter(({ role }) => role === "tool") ?? [];
    const texts = told.map(({ content }) => String(content));
    assert.match(texts[0] ?? "", /^error: .*JSON/);
    assert.match(texts[1] ?? "", /^error: .*guess/);
    assert.match(texts[2] ?? "", /unsupported_pair/);
  });

  test("stops a model that calls tools without end, after a bounded number of units", async () => {
    await using model = await startModel(converting);
    const { session, apiKey } = await service.newCustomer();

    const { exitCode, stdout, stderr } = await ask(apiKey, model.url);

    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.equal(stderr, "agent: the model gave no answer within 4 turns.\n");
    assert.equal(await service.usedUnits(session), 4);
  });

  test("keeps the path of a service behind a proxy", async () => {
    const paths: (string | undefined)[] = [];
    await using proxy = await startServer((request, response) => {
      paths.push(request.url);
      response.writeHead(404).end();
    });
    for (const path of ["/kurs", "/kurs/", ""]) {
      const variables = { KURS_API_KEY: "svc_live_", OPENAI_API_KEY: "-", OPENAI_MODEL: "tiny" };
      await runExample("agent.ts", ["Why?"], { KURS_URL: proxy.url + path, ...variables });
    }
    assert.deepEqual(new Set(paths), new Set(["/kurs/v1/mcp", "/v1/mcp"]));
  });

  test("ends in a sentence without a valid key, a model's service, or a question", async () => {
    await using model = await startModel({ answer: "Never." });
    const { session, apiKey } = await service.newCustomer();

    const wrongKey = await ask(`svc_live_${"0".repeat(64)}`, model.url);
    assert.deepEqual([wrongKey.exitCode, wrongKey.stdout], [1, ""]);
    assert.match(wrongKey.stderr, /^agent: .*\n$/);
    assert.equal(model.requests.length, 0);

    const elsewhere = await ask(apiKey, service.url);
    assert.deepEqual([elsewhere.exitCode, elsewhere.stdout], [1, ""]);
    assert.match(elsewhere.stderr, /^agent: the model's service: 404 /);

    const wrongUse = await runExample("agent.ts", [], {});
    assert.deepEqual([wrongUse.exitCode, wrongUse.stderr.startsWith("usage: ")], [2, true]);
    assert.equal(await service.usedUnits(session), 0);
  });
});
