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

const malformed = [
  ["an empty text", ""],
  ["svc_live_ alone", API_KEY_PREFIX],
  ["a secret alone", SECRET],
  ["a secret with one digit too few", API_KEY_PREFIX + SECRET.slice(1)],
  ["a secret with one digit too many", `${API_KEY_PREFIX}${SECRET}0`],
  ["upper-case digits", API_KEY_PREFIX + SECRET.toUpperCase()],
  ["an upper-case SVC_LIVE_", `SVC_LIVE_${SECRET}`],
  ["a digit that is not hexadecimal", `${API_KEY_PREFIX}g${SECRET.slice(1)}`],
  ["leading white space", ` ${API_KEY_PREFIX}${SECRET}`],
  ["trailing white space", `${API_KEY_PREFIX}${SECRET} `],
  ["a trailing line feed", `${API_KEY_PREFIX}${SECRET}\n`],
  ["two keys in a row", `${API_KEY_PREFIX}${SECRET}${API_KEY_PREFIX}${SECRET}`],
] as const;

for (const [what, text] of malformed) {
  test(`${what} is neither an API key nor a session token`, () => {
    assert.ok(!isApiKey(text));
    assert.ok(!isSessionToken(text.replace("live", "sess").replace("LIVE", "SESS")));
  });
}
