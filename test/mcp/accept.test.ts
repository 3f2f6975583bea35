import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  assertRpcError,
  callOf,
  eras,
  type Posted,
  readOf,
  requestOf,
  rpcOf,
  startWithKey,
  valueIn,
} from "./messages.ts";

const { service, post, charging } = await startWithKey();
after(() => service[Symbol.asyncDispose]());

/** @param accept `undefined` sends no Accept header. */
function accepting({ headers, json }: Posted, accept: string | undefined): Posted {
  const { accept: _usual, ...others } = headers;
  return { headers: accept === undefined ? others : { ...others, accept }, json };
}

const wide = [
  ...["*/*", "application/json", "application/*", "Application/JSON; charset=utf-8"],
  ...["text/html, */*;q=0.1", "text/event-stream, application/json;q=0.5", undefined],
];

for (const accept of wide) {
  test(`MCP: Accept: ${accept ?? "(none)"} gets JSON, in both eras`, async () => {
    const hello = requestOf("2025", "initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
    const agreed = await post(accepting(hello, accept));
    assert.equal(rpcOf(agreed).result?.protocolVersion, "2025-11-25", agreed.text);

    for (const era of eras) {
      const list = await post(accepting(requestOf(era, "tools/list"), accept));
      assert.match(list.text, /"name":"get_rate"/);
      const read = await charging(1, () => post(accepting(readOf(era), accept)));
      assert.equal(valueIn(rpcOf(read)).rate, "1.1476");
      // A call that the SDK handles.
      const { headers, json } = callOf(era, "get_usage");
      const params = { ...(json.params as object), task: {} };
      const bySdk = await post(accepting({ headers, json: { ...json, params } }, accept));
      assert.equal(valueIn(rpcOf(bySdk)).plan, "free");
      for (const { status, headers: sent } of [agreed, list, read, bySdk]) {
        assert.equal(status, 200);
        assert.equal(sent["content-type"], "application/json; charset=utf-8");
      }
    }
  });
}

for (const accept of [
  "text/event-stream",
  "text/html",
  "application/json;q=0",
  "application/xml",
]) {
  test(`MCP: Accept: ${accept} is 406 in the 2025 era, uncharged`, async () => {
    const answer = await charging(0, () => post(accepting(readOf("2025"), accept)));
    assertRpcError(answer, 406, -32_000, /Not Acceptable/);
  });
}
