import assert from "node:assert/strict";
import { test } from "node:test";
import { isApiKey, keyPrefixOf } from "../../../src/customers/api-keys/rules.ts";
import { isSessionToken } from "../../../src/customers/sessions/rules.ts";
import {
  API_KEY_PREFIX,
  SECRET_BYTES,
  SESSION_TOKEN_PREFIX,
} from "../../../src/platform/shared/text/credentials.ts";
import { fc } from "../../support/properties.ts";

const secret = fc.string({
  unit: fc.constantFrom(..."0123456789abcdef"),
  minLength: 2 * SECRET_BYTES,
  maxLength: 2 * SECRET_BYTES,
});
const SECRET = "0123456789abcdef".repeat(4);

test("a key prefix is svc_live_ and the first 8 digits of the secret: 17 characters", () => {
  assert.equal(keyPrefixOf(API_KEY_PREFIX + SECRET), "svc_live_01234567");
  fc.assert(
    fc.property(secret, (digits) => {
      const prefix = keyPrefixOf(API_KEY_PREFIX + digits);
      assert.equal(prefix.length, 17);
      assert.equal(prefix, `svc_live_${digits.slice(0, 8)}`);
    }),
  );
});

test("an API key is never parsed as a session token, nor a session token as an API key", () => {
  fc.assert(
    fc.property(secret, (digits) => {
      assert.ok(isApiKey(API_KEY_PREFIX + digits));
      assert.ok(isSessionToken(SESSION_TOKEN_PREFIX + digits));
      assert.ok(!isApiKey(SESSION_TOKEN_PREFIX + digits));
      assert.ok(!isSessionToken(API_KEY_PREFIX + digits));
    }),
  );
});

test("no other text is an API key or a session token", () => {
  const key = API_KEY_PREFIX + SECRET;
  for (const text of [
    ...["", API_KEY_PREFIX, SECRET, key.slice(0, -1), `${key}0`, ` ${key}`, `${key} `, `${key}\n`],
    ...[API_KEY_PREFIX + SECRET.toUpperCase(), `SVC_LIVE_${SECRET}`, key.replace("_0", "_g")],
    key + key,
  ]) {
    assert.ok(!isApiKey(text), text);
    assert.ok(!isSessionToken(text.replace("live", "sess").replace("LIVE", "SESS")), text);
  }
});
