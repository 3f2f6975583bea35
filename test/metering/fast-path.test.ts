import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePlainRead } from "../../src/metering/fast-path.ts";
import { rateBody } from "../../src/metering/http.ts";
import { rateJson } from "../../src/rates/json.ts";
import { parsePair } from "../../src/rates/rules/symbol.ts";
import { isDecimal, parseDecimal } from "../../src/shared/decimal.ts";
import { instantAt } from "../../src/shared/instant.ts";
import { fc } from "../support/properties.ts";
import { cpuMsOf } from "../support/resources.ts";

const recognise = (text: string) => parsePlainRead(Buffer.from(text, "latin1"));

const START = "GET /v1/rates/EUR/USD HTTP/1.1\r\nHost: kurs\r\n";
const PLAIN = `${START}Authorization: ApiKey k\r\n\r\n`;

test("a plain read is recognised, its symbols and key as they are written", () => {
  assert.deepEqual(recognise(PLAIN), { base: "EUR", quote: "USD", apiKey: "k" });
  assert.deepEqual(
    recognise("GET /v1/rates/eur/uSd HTTP/1.1\r\nAUTHORIZATION: apikey K\r\nhOST: x\r\n\r\n"),
    { base: "eur", quote: "uSd", apiKey: "K" },
  );
});

test("no part of a read, and nothing around it, is recognised", () => {
  for (let length = 0; length < PLAIN.length; length += 1) {
    assert.equal(recognise(PLAIN.slice(0, length)), undefined, `the first ${length}`);
    if (length > 0) assert.equal(recognise(PLAIN.slice(length)), undefined, `from ${length}`);
  }
  for (const more of ["\r\n", " ", "\u0000", "x", PLAIN]) {
    assert.equal(recognise(PLAIN + more), undefined);
    assert.equal(recognise(more + PLAIN), undefined);
  }
});

test("only what is harmless may stand in a read: no byte beyond ASCII, no control", () => {
  const harmless = new Set([..."!\"#$%&'()*+,-./0123456789:;<=>?@[\\]^_`{|}~ "]);
  for (let code = 0; code < 256; code += 1) {
    const byte = String.fromCharCode(code);
    const read = recognise(`${START}Via: a${byte}b\r\nAuthorization: ApiKey k\r\n\r\n`);
    const isKnown = harmless.has(byte) || /[A-Za-z]/.test(byte);
    assert.equal(read !== undefined, isKnown, `byte ${code}`);
  }
});

test("a read of over 2048 bytes is not looked at", () => {
  const padded = (length: number) =>
    PLAIN.replace("kurs", "k".repeat(length - PLAIN.length + "kurs".length));
  assert.notEqual(recognise(padded(2048)), undefined);
  assert.equal(recognise(padded(2049)), undefined);
});

test("telling that a request is no plain read takes no time, however it is made up", async () => {
  // A pattern that can match a header in two ways takes twice the time for each header more: 24
  // take 240 ms, and the growing count lets this fail before it hangs.
  for (const count of [8, 16, 20, 24, 28, 140]) {
    for (const header of [
      "via: a",
      "dnt:  ",
      "host:",
      "accept: host: a",
      "connection: keep-alive",
    ]) {
      const headers = `${header}\r\n`.repeat(count).slice(0, 1900);
      for (const last of ["Cookie: a\r\n\r\n", "Authorization: ApiKey k\r\n", "\r\n"]) {
        const tookMs = await cpuMsOf(() => recognise(START + headers + last));
        assert.ok(tookMs < 50, `${count} times ${header}: ${tookMs} ms`);
      }
    }
  }
});

test("a rate's body is what JSON.stringify makes of the rate", () => {
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
