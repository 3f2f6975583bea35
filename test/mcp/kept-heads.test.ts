import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlainMessageParser } from "../../src/mcp/fast-path.ts";

const KEPT_HEADS_MAX = 500;

test("the head of a message is parsed once while it is among the kept ones, which are at most 500", () => {
  let parsed = 0;
  const parse = createPlainMessageParser(() => {
    parsed += 1;
    return true;
  });
  /** @returns how many heads were parsed for a message with this header. */
  const parsedFor = (header: string, apiKey = "one") => {
    const before = parsed;
    const lines = [
      "POST /v1/mcp HTTP/1.1",
      "Host: kurs",
      `Authorization: ApiKey ${apiKey}`,
      "Content-Type: application/json",
      "Content-Length: 2",
      header,
    ];
    const message = parse(Buffer.from(`${lines.join("\r\n")}\r\n\r\n{}`));
    assert.deepEqual([message?.apiKey, message?.body], [apiKey, "{}"]);
    return parsed - before;
  };
  assert.deepEqual([parsedFor("Via: 0"), parsedFor("Via: 0", "two")], [1, 0]);

  for (let other = 1; other <= KEPT_HEADS_MAX; other += 1) parsedFor(`Via: ${other}`);

  assert.deepEqual([parsedFor(`Via: ${KEPT_HEADS_MAX}`), parsedFor("Via: 0")], [0, 1]);
  // A long head would take more memory than the time is worth.
  const long = `Via: ${"a".repeat(1024)}`;
  assert.deepEqual([parsedFor(long), parsedFor(long)], [1, 1]);
});
