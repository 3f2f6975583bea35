import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { readableLines } from "../../../src/platform/log/terminal.ts";

const ESCAPE = "\u001b[";
const RESET = `${ESCAPE}0m`;

const AT = "2026-11-24T16:05:12.345Z";
const date = new Date(AT);
const TIME = [date.getHours(), date.getMinutes(), date.getSeconds()]
  .map((part) => String(part).padStart(2, "0"))
  .join(":");

const shown = (line: object, hasColours = false) =>
  readableLines(hasColours)(`${JSON.stringify({ level: "info", time: AT, ...line })}\n`);

const request = {
  ...{ request_id: "01a20f49-4da0", method: "GET", route: "/v1/rates/:base/:quote" },
  ...{ status: 200, duration_us: 412 },
};

suite("the log on a terminal", () => {
  test("shows a request with its status, its time and the prefix of its key", () => {
    assert.equal(
      shown({ ...request, key_prefix: "svc_live_3f9c21aa", account_id: "01a1" }),
      `${TIME} GET /v1/rates/:base/:quote 200 0.4 ms svc_live_3f9c21aa\n`,
    );
    assert.equal(
      shown({ ...request, status: 404 }),
      `${TIME} GET /v1/rates/:base/:quote 404 0.4 ms\n`,
    );
  });

  test("names the id of a request that failed, and why a malformed one was rejected", () => {
    assert.match(shown({ ...request, status: 503 }), / 503 0\.4 ms request_id=01a20f49-4da0\n$/);
    assert.equal(
      shown({ request_id: "01a2", status: 400, code: "invalid_request" }),
      `${TIME} (malformed request) 400 invalid_request\n`,
    );
  });

  test("shows a message with its level and its members", () => {
    const fetched = { msg: "a source was fetched", source: "ecb", stored: 31, held: 0 };
    assert.equal(shown(fetched), `${TIME} a source was fetched  source=ecb stored=31 held=0\n`);
    assert.equal(
      shown({ level: "warn", msg: "a source failed", source: "ecb", error: "no way: there" }),
      `${TIME} warning: a source failed  source=ecb error="no way: there"\n`,
    );
    assert.equal(shown({ msg: "stopping" }), `${TIME} stopping\n`);
  });

  test("shows the stack of an error in lines of its own", () => {
    const err = { type: "Error", message: "away", stack: "Error: away\n    at one\n    at two" };
    assert.equal(
      shown({ level: "error", msg: "it failed", err, code: "internal_error" }),
      `${TIME} error: it failed  code=internal_error\n    Error: away\n        at one\n        at two\n`,
    );
  });

  test("escapes control characters and line breaks in every place", () => {
    const hostile = "a\u001b[2J\r\nb\u202e";
    const err = { message: hostile, stack: `Error: ${hostile}` };
    for (const line of [
      { msg: hostile, [hostile]: hostile, err },
      { ...request, method: hostile, route: hostile, key_prefix: hostile, rejected: hostile },
    ]) {
      assert.doesNotMatch(shown(line), /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
    assert.equal(shown({ msg: "a\nb" }), `${TIME} a\\u000ab\n`);
  });

  test("colours the status and the level, and nothing without colours", () => {
    for (const [status, colour] of [
      [200, 32],
      [404, 33],
      [503, 31],
    ]) {
      const coloured = `${ESCAPE}${colour}m${status}${RESET}`;
      assert.ok(shown({ ...request, status }, true).includes(coloured), coloured);
    }
    const error = shown({ level: "error", msg: "x" }, true);
    assert.ok(error.includes(`${ESCAPE}31merror: ${RESET}x`), error);
    assert.ok(!shown({ ...request, status: 503 }).includes("\u001b"));
  });

  test("shows each of several lines", () => {
    const line = JSON.stringify({ level: "info", time: AT, msg: "one" });
    assert.equal(readableLines(false)(`${line}\n${line}\n`), `${TIME} one\n${TIME} one\n`);
  });
});
