import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sendRaw } from "../../support/raw-connection.ts";
import { startSharedService } from "../../support/service.ts";
import { rpcOf, valueIn } from "./answers.ts";
import { ACCEPT, readOf, VERSION_OF } from "./messages.ts";

const service = await startSharedService();
const { apiKey, usedUnits } = await service.newCustomer();

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

suite("MCP: a repeated header", () => {
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
