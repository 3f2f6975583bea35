import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { promisify } from "node:util";
import { createSecrets } from "../../../src/platform/hashing/secrets.ts";

const PASSWORD = "correct horse battery";

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

test("a password hash is Argon2id with its parameters and its own salt", async () => {
  const secrets = createSecrets();
  const [one, other] = [await secrets.hashPassword(PASSWORD), await secrets.hashPassword(PASSWORD)];
  const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;
  assert.match(one, form);
  assert.notEqual(one, other);
  assert.ok(!one.includes(PASSWORD));
});

test("only the right password matches a hash, and none matches a missing hash", async () => {
  const secrets = createSecrets();
  const stored = await secrets.hashPassword(PASSWORD);
  const outdated = false;
  const check = (passwordHash: string | undefined, password: string) =>
    secrets.verifyPassword(passwordHash, password);
  assert.deepEqual(await check(stored, PASSWORD), { matches: true, outdated });
  assert.deepEqual(await check(stored, `${PASSWORD}!`), { matches: false, outdated });
  assert.deepEqual(await check(undefined, PASSWORD), { matches: false, outdated });
});

for (const [memory, passes, outdated] of [
  [8192, 2, true],
  [19_456, 1, true],
  [19_457, 3, false],
] as const) {
  test(`a hash with ${memory} KiB and ${passes} passes matches, outdated: ${outdated}`, async () => {
    const salt = Buffer.from("0123456789abcdef");
    const parameters = { memory, passes, parallelism: 1, tagLength: 32 };
    const tag = argon2Sync("argon2id", { ...parameters, message: PASSWORD, nonce: salt });
    const base64 = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
    const stored = `$argon2id$v=19$m=${memory},t=${passes},p=1$${base64(salt)}$${base64(tag)}`;

    const check = await createSecrets().verifyPassword(stored, PASSWORD);

    assert.deepEqual(check, { matches: true, outdated });
  });
}

test("a process waits for a hash in progress and then exits by itself", async () => {
  const module = JSON.stringify(
    new URL("../../../src/platform/hashing/secrets.ts", import.meta.url),
  );
  const program = `void import(${module}).then(async ({ createSecrets }) => {
    console.log(await createSecrets().hashPassword("${PASSWORD}"));
  });`;
  const ended = promisify(execFile)(process.execPath, ["--eval", program], { timeout: 120_000 });
  assert.match((await ended).stdout, /^\$argon2id\$/);
});
