import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { createPlainParser } from "../../../../src/platform/http/fast-path/plain-request.ts";
import { createPlainCall } from "../../../../src/reads/mcp/fast-path.ts";
import type { OriginCheck } from "../../../../src/reads/mcp/origin-check.ts";
import { createPlainRead } from "../../../../src/reads/metering/fast-path.ts";
import { callLines, callOf, textOf } from "./requests.ts";

const notAsked = () => assert.fail("no response is asked");

function parserWith(checkOrigin: OriginCheck) {
  const parse = createPlainParser([
    createPlainRead(notAsked),
    createPlainCall(notAsked, checkOrigin),
  ]);
  return (text: string) => parse(Buffer.from(text, "latin1"));
}

const parse = parserWith(() => undefined);
const READ = textOf({});

test("a plain call's headers are without its key", () => {
  assert.deepEqual(Object.keys(parse(callOf())?.headers ?? {}).length, callLines.length - 1);
  assert.equal("authorization" in (parse(callOf())?.headers ?? {}), false);
});

test("a part of a request and a request with further bytes are not plain", () => {
  for (const text of [READ, callOf()]) {
    for (let length = 0; length < text.length; length += 1) {
      assert.equal(parse(text.slice(0, length)), undefined, `the first ${length}`);
      if (length > 0) assert.equal(parse(text.slice(length)), undefined, `from ${length}`);
    }
    for (const more of ["\r\n", " ", "\u0000", "x", text]) {
      for (const longer of [text + more, more + text]) assert.equal(parse(longer), undefined);
    }
  }
});

test("the values of a plain request's headers contain no control characters but tabs", () => {
  for (let code = 0; code < 256; code += 1) {
    const line = `Via: a${String.fromCharCode(code)}b`;
    const isAllowed = code === 9 || (code >= 32 && code !== 127);
    for (const text of [textOf({ line }), callOf([...callLines, line])]) {
      assert.equal(parse(text) !== undefined, isAllowed, `byte ${code}`);
    }
  }
});

test("a request of over 8192 bytes is not parsed", () => {
  for (const [length, isPlain] of [
    [8192, true],
    [8193, false],
  ] as const) {
    const host = `Host: ${"k".repeat(length - READ.length + "kurs".length)}`;
    assert.equal(parse(textOf({ host })) !== undefined, isPlain);
  }
});

/** The time of a pattern that can match a header in two ways doubles with each header. */
const NEVER_MS = 60_000;

test("rejecting a request that is not plain ends, whatever its headers", () => {
  const lines = [
    "via: a",
    "dnt:  ",
    "host:",
    "accept: host: a",
    "connection: keep-alive",
    "host: %41",
  ];
  const lasts = ["Cookie: a\r\n\r\n", "Authorization: ApiKey k\r\n", "\r\n"];
  const parseAll = () => {
    for (const count of [8, 40, 140, 560]) {
      for (const line of lines) {
        for (const start of [READ, callOf()].map((text) => text.slice(0, text.indexOf("Auth")))) {
          const text = start + `${line}\r\n`.repeat(count).slice(0, 8000);
          for (const last of lasts) assert.equal(parse(text + last), undefined);
        }
      }
    }
  };
  runInNewContext("parseAll()", { parseAll }, { timeout: NEVER_MS });
});

const letters = [..."abcdefghijkl"];
const between = letters.flatMap((one) => letters.map((other) => `sec-fetch-${one}${other}: a`));

test("a call with a repeated header is not plain, whichever it is and wherever it is", () => {
  const usual = [...callLines, "Mcp-Name: get_rate", "User-Agent: test", "X-Request-Id: 1"];
  for (const more of [[], between]) {
    assert.notEqual(parse(callOf([...usual, ...more])), undefined);
    for (const line of usual) {
      for (const again of [line, line.toUpperCase(), line.replace(/:.*/, ": 1")]) {
        assert.equal(parse(callOf([...usual, ...more, again])), undefined, again);
        assert.equal(parse(callOf([again, ...more, ...usual])), undefined, again);
      }
    }
  }
});

test("the head of a call is parsed once while it is among the kept ones, at most 500", () => {
  let parsed = 0;
  const parseKept = parserWith(() => {
    parsed += 1;
  });
  /** @returns how many heads were parsed for a call with this header. */
  const parsedFor = (header: string, apiKey = "one") => {
    const before = parsed;
    assert.equal(parseKept(callOf([...callLines, header]).replace("KEY", apiKey))?.apiKey, apiKey);
    return parsed - before;
  };
  assert.deepEqual([parsedFor("Via: 0"), parsedFor("Via: 0", "two")], [1, 0]);
  for (let other = 1; other <= 500; other += 1) parsedFor(`Via: ${other}`);
  assert.deepEqual([parsedFor("Via: 500"), parsedFor("Via: 0")], [0, 1]);
});
