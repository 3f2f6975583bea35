import assert from "node:assert/strict";
import { test } from "node:test";
import { describeClient } from "../../../src/customers/sessions/client.ts";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const CHROME = `${WEBKIT} Chrome/142.0.0.0 Safari/537.36`;
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15";

for (const [userAgent, expected] of [
  ["Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Linux"],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${CHROME}`, "Chrome on macOS"],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/142.0.0.0`, "Edge on Windows"],
  [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} OPR/96.0.0.0`, "Opera on Android"],
  [`${IPHONE} Version/19.1 Mobile/15E148 Safari/604.1`, "Safari on iOS"],
  ["curl/8.14.1", "curl"],
  ["python-requests/2.32", "python-requests"],
  ["node", "node"],
  ["Mozilla/5.0 <b>", undefined],
  [`${"a".repeat(41)}/1`, undefined],
  ["", undefined],
  [undefined, undefined],
] as const) {
  test(`the User-Agent ${userAgent} is ${expected}`, () =>
    assert.equal(describeClient(userAgent), expected));
}
