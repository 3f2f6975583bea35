import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { createPlainMessageParser } from "../../src/mcp/fast-path.ts";
import { sendRaw } from "../support/raw-connection.ts";
import { ACCEPT, readOf, rpcOf, startWithKey, VERSION_OF, valueIn } from "./messages.ts";

// A plain message bypasses node:http (the fast path). One with a repeated header must not: only
// node:http knows what each header means then.

const { service, session, apiKey } = await startWithKey();
after(() => service[Symbol.asyncDispose]());

const parsePlainMessage = createPlainMessageParser(() => true);

const body = JSON.stringify(readOf("2026").json);

/** The header lines of a read in revision 2026-07-28. */
const usual = [
  "Host: 127.0.0.1",
  `Authorization: ApiKey ${apiKey}`,
  "Content-Type: application/json",
  `Content-Length: ${body.length}`,
  `Accept: ${ACCEPT}`,
  `Mcp-Protocol-Version: ${VERSION_OF["2026"]}`,
  "Mcp-Method: tools/call",
  "Mcp-Name: get_rate",
  "User-Agent: test",
  "X-Request-Id: 1",
];

const messageOf = (lines: readonly string[]): string =>
  `POST /v1/mcp HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n${body}`;

const letters = [..."abcdefghijkl"];

/** Lines of 144 names, each different and ignored by the server. */
const between = letters.flatMap((one) => letters.map((other) => `sec-fetch-${one}${other}: a`));

suite("MCP: a repeated header in a plain message", () => {
  test("makes the difference: without it the message is plain, also with 144 more lines", () => {
    for (const lines of [usual, [...usual, ...between]]) {
      assert.equal(parsePlainMessage(Buffer.from(messageOf(lines)))?.apiKey, apiKey);
    }
  });

  for (const line of usual) {
    const [name = ""] = line.split(":");
    test(`hands the message to node:http: ${name}`, () => {
      for (const more of [[], between]) {
        for (const again of [line, line.toUpperCase(), line.replace(/:.*/, ": 1")]) {
          for (const lines of [
            [...usual, ...more, again],
            [again, ...more, ...usual],
          ]) {
            assert.equal(parsePlainMessage(Buffer.from(messageOf(lines))), undefined, again);
          }
        }
      }
    });
  }

  const rejected = [
    ["Authorization: ApiKey x", 401],
    [`Authorization: ApiKey ${apiKey}`, 401],
    ["Mcp-Protocol-Version: 1.0", 400],
    [`Mcp-Protocol-Version: ${VERSION_OF["2026"]}`, 400],
    ["Mcp-Name: get_usage", 400],
    ["Mcp-Method: ping", 400],
    ["Content-Length: 5", 400],
    [`Content-Length: ${body.length}`, 400],
  ] as const;

  for (const [again, status] of rejected) {
    test(`is ${status} and costs nothing: ${again.replace(apiKey, "(the key)")}`, async () => {
      const used = await service.usedUnits(session);
      for (const more of [[], between]) {
        // The fast path does not parse cookies: node:http serves a message with one.
        for (const last of ["User-Agent: test", "Cookie: a=b"]) {
          const lines = [...usual.slice(0, -2), ...more, again, last];
          const answers = await sendRaw(service.url, messageOf(lines), true);
          assert.deepEqual(
            answers.map((answer) => answer.status),
            [status],
          );
        }
      }
      assert.equal(await service.usedUnits(session), used);
    });
  }

  test("is served for one unit where the repetition has no effect", async () => {
    for (const again of ["Accept: */*", "User-Agent: other", "X-Request-Id: 2"]) {
      const used = await service.usedUnits(session);
      const [answer] = await sendRaw(service.url, messageOf([...usual, again]), true);
      assert.ok(answer !== undefined);
      assert.equal(valueIn(rpcOf(answer)).rate, "1.1476");
      assert.equal(await service.usedUnits(session), used + 1);
    }
  });
});
