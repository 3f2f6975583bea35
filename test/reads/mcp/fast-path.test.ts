import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlainParser } from "../../../src/platform/http/fast-path/plain-request.ts";
import { createPlainCall } from "../../../src/reads/mcp/fast-path.ts";
import type { OriginCheck } from "../../../src/reads/mcp/origin-check.ts";
import { sendRaw } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";
import { ACCEPT, readOf, rpcOf, VERSION_OF, valueIn } from "./messages.ts";

const KEPT_HEADS_MAX = 500;

const parserWith = (checkOrigin: OriginCheck) =>
  createPlainParser([createPlainCall(() => assert.fail("no response is asked"), checkOrigin)]);

test("the head of a message is parsed once while it is among the kept ones, which are at most 500", () => {
  const call = '{"method":"tools/call"}';
  let parsed = 0;
  const parse = parserWith(() => {
    parsed += 1;
  });
  /** @returns how many heads were parsed for a message with this header. */
  const parsedFor = (header: string, apiKey = "one") => {
    const before = parsed;
    const lines = [
      "POST /v1/mcp HTTP/1.1",
      "Host: kurs",
      `Authorization: ApiKey ${apiKey}`,
      "Content-Type: application/json",
      `Content-Length: ${call.length}`,
      header,
    ];
    const message = parse(Buffer.from(`${lines.join("\r\n")}\r\n\r\n${call}`));
    assert.deepEqual([message?.apiKey, message?.body], [apiKey, call]);
    return parsed - before;
  };
  assert.deepEqual([parsedFor("Via: 0"), parsedFor("Via: 0", "two")], [1, 0]);

  for (let other = 1; other <= KEPT_HEADS_MAX; other += 1) parsedFor(`Via: ${other}`);

  assert.deepEqual([parsedFor(`Via: ${KEPT_HEADS_MAX}`), parsedFor("Via: 0")], [0, 1]);
});

// A plain message bypasses node:http. One with a repeated header must not: only node:http knows
// what each header means then.

const service = await startSharedService();
const { apiKey, usedUnits } = await service.newCustomer();

const parsePlainMessage = parserWith(() => undefined);

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

  test("hands the message to node:http, whichever header it is and wherever it is", () => {
    for (const line of usual) {
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
    }
  });

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

  test("is rejected and costs nothing where node:http knows what the header means", async () => {
    const used = await usedUnits();
    for (const [again, status] of rejected) {
      // The fast path does not parse cookies: node:http serves a message with one.
      for (const last of ["User-Agent: test", "Cookie: a=b"]) {
        const lines = [...usual.slice(0, -2), ...between, again, last];
        const answers = await sendRaw(service.url, messageOf(lines), true);
        assert.deepEqual([answers.length, answers[0]?.status], [1, status], again);
      }
    }
    assert.equal(await usedUnits(), used);
  });

  test("is served for one unit where the repetition has no effect", async () => {
    for (const again of ["Accept: */*", "User-Agent: other", "X-Request-Id: 2"]) {
      const used = await usedUnits();
      const [answer] = await sendRaw(service.url, messageOf([...usual, again]), true);
      assert.ok(answer !== undefined);
      assert.equal(valueIn(rpcOf(answer)).rate, "1.1476");
      assert.equal(await usedUnits(), used + 1);
    }
  });
});
