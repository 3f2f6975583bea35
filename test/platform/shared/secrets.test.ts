import assert from "node:assert/strict";
import { test } from "node:test";
import { createSecrets } from "../../../src/platform/shared/secrets.ts";

test("ids sort in order of creation, even within one millisecond", () => {
  const { uuid } = createSecrets();
  let previous = uuid();
  for (let count = 1; count < 20_000; count += 1) {
    const next = uuid();
    assert.ok(next > previous, `id ${count}: ${next} came after ${previous}`);
    previous = next;
  }
});

test("an id is a UUID of version 7", () => {
  const { uuid } = createSecrets();
  assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("a secret is 64 lower-case hexadecimal digits, and no two are equal", () => {
  const { secret } = createSecrets();
  const secrets = Array.from({ length: 1000 }, secret);
  for (const text of secrets) assert.match(text, /^[0-9a-f]{64}$/);
  assert.equal(new Set(secrets).size, secrets.length);
});

test("the digest of a credential is its SHA-256 in hexadecimal", () => {
  const { hash } = createSecrets();
  const expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  assert.equal(hash("abc"), expected);
});
