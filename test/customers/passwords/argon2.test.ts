import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { promisify } from "node:util";
import { createPasswords } from "../../../src/customers/passwords/hashing/argon2.ts";

const PASSWORD = "correct horse battery";

test("a password hash is Argon2id with its parameters and its own salt", async () => {
  const passwords = createPasswords();
  const [one, other] = [await passwords.hash(PASSWORD), await passwords.hash(PASSWORD)];
  const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;
  assert.match(one, form);
  assert.notEqual(one, other);
  assert.ok(!one.includes(PASSWORD));
});

test("only the right password matches a hash, and none matches a missing hash", async () => {
  const passwords = createPasswords();
  const stored = await passwords.hash(PASSWORD);
  const outdated = false;
  const check = (passwordHash: string | undefined, password: string) =>
    passwords.verify(passwordHash, password);
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

    const check = await createPasswords().verify(stored, PASSWORD);

    assert.deepEqual(check, { matches: true, outdated });
  });
}

test("a process waits for a hash in progress and then exits by itself", async () => {
  const module = JSON.stringify(
    new URL("../../../src/customers/passwords/hashing/argon2.ts", import.meta.url),
  );
  const program = `void import(${module}).then(async ({ createPasswords }) => {
    console.log(await createPasswords().hash("${PASSWORD}"));
  });`;
  const ended = promisify(execFile)(process.execPath, ["--eval", program], { timeout: 120_000 });
  assert.match((await ended).stdout, /^\$argon2id\$/);
});
