import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { createPlainParser } from "../../../src/platform/http/fast-path/plain-request.ts";
import { isDecimal, parseDecimal } from "../../../src/platform/shared/decimal.ts";
import { instantAt } from "../../../src/platform/shared/instant.ts";
import { rateJson } from "../../../src/rates/served/json.ts";
import { rateBody } from "../../../src/rates/served/rules/rate.ts";
import { parsePair } from "../../../src/rates/served/rules/symbol.ts";
import { createPlainRead } from "../../../src/reads/metering/fast-path.ts";
import { fc } from "../../support/properties.ts";

const parsePlain = createPlainParser([createPlainRead(() => assert.fail("no response is asked"))]);

function parse(text: string) {
  const plain = parsePlain(Buffer.from(text, "latin1"));
  if (plain === undefined) return undefined;
  const { method, isLast, hasOrigin, traceId, groups, apiKey } = plain;
  return { method, isLast, hasOrigin, traceId, base: groups[2], quote: groups[3], apiKey };
}

const START = "GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\n";
const PLAIN = `${START}Authorization: ApiKey k\r\n\r\n`;

test("a plain read is parsed with its symbols and key unchanged", () => {
  const plain = { method: "GET", isLast: false, hasOrigin: false, traceId: undefined };
  assert.deepEqual(parse(PLAIN), { ...plain, base: "EUR", quote: "USD", apiKey: "k" });
  assert.deepEqual(
    parse("GET /v1/rates/eur/uSd HTTP/1.1\r\nAUTHORIZATION: apikey K\r\nhOST: x\r\n\r\n"),
    { ...plain, base: "eur", quote: "uSd", apiKey: "K" },
  );
});

test("a part of a read and a read with further bytes are not plain", () => {
  for (let length = 0; length < PLAIN.length; length += 1) {
    assert.equal(parse(PLAIN.slice(0, length)), undefined, `the first ${length}`);
    if (length > 0) assert.equal(parse(PLAIN.slice(length)), undefined, `from ${length}`);
  }
  for (const more of ["\r\n", " ", "\u0000", "x", PLAIN]) {
    assert.equal(parse(PLAIN + more), undefined);
    assert.equal(parse(more + PLAIN), undefined);
  }
});

test("the values of a plain read's headers contain no control characters but tabs", () => {
  for (let code = 0; code < 256; code += 1) {
    const byte = String.fromCharCode(code);
    const read = parse(`${START}Via: a${byte}b\r\nAuthorization: ApiKey k\r\n\r\n`);
    const isAllowed = byte === "\t" || (code >= 32 && code !== 127);
    assert.equal(read !== undefined, isAllowed, `byte ${code}`);
  }
});

test("a read of over 8192 bytes is not parsed", () => {
  const padded = (length: number) =>
    PLAIN.replace("kurs", "k".repeat(length - PLAIN.length + "kurs".length));
  assert.notEqual(parse(padded(8192)), undefined);
  assert.equal(parse(padded(8193)), undefined);
});

/** The time of a pattern that can match a header in two ways doubles with each header. */
const NEVER_MS = 60_000;

test("rejecting a request that is not plain ends, whatever its headers", () => {
  const headers = ["via: a", "dnt:  ", "host:", "accept: host: a", "connection: keep-alive"];
  const lasts = ["Cookie: a\r\n\r\n", "Authorization: ApiKey k\r\n", "\r\n"];
  const parseAll = () => {
    for (const count of [8, 40, 140, 560]) {
      for (const header of headers) {
        const text = START + `${header}\r\n`.repeat(count).slice(0, 8000);
        for (const last of lasts) assert.equal(parse(text + last), undefined);
      }
    }
  };
  runInNewContext("parseAll()", { parseAll }, { timeout: NEVER_MS });
});

test("the body of a rate equals JSON.stringify of the rate", () => {
  const digits = fc.stringMatching(/^[0-9]{1,30}(\.[0-9]{1,30})?$/);
  const symbols = fc.stringMatching(/^[A-Za-z0-9]{2,10}$/);
  const nowMs = fc.integer({ min: 0, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(symbols, symbols, digits, nowMs, (base, quote, text, asOfMs) => {
      const pair = parsePair(base, quote);
      const rate = parseDecimal(text);
      assert.ok(pair !== undefined);
      fc.pre(isDecimal(rate));
      const whole = { ...pair, rate, asOf: instantAt(asOfMs) };
      assert.equal(rateBody(whole), JSON.stringify(rateJson(whole)));
    }),
  );
});
