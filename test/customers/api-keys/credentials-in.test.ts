import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { credentialsIn } from "../../../src/customers/api-keys/burn.ts";

const KEY = `svc_live_${"0123456789abcdef".repeat(4)}`;
const TOKEN = KEY.replace("live", "sess");

const foundIn = async (...chunks: readonly Buffer[]) =>
  (await Array.fromAsync(credentialsIn(Readable.from(chunks)))).flat();

test("a credential is found once wherever two chunks of a text divide it", async () => {
  for (const credential of [KEY, TOKEN]) {
    const text = Buffer.from(`${"x".repeat(100)}${credential} and more`);
    for (let place = 99; place <= 101 + credential.length; place += 1) {
      const found = await foundIn(text.subarray(0, place), text.subarray(place));
      assert.deepEqual(found, [credential], `cut after ${place - 100} characters`);
    }
    assert.deepEqual(await foundIn(...Array.from(text, (byte) => Buffer.of(byte))), [credential]);
  }
});

test("credentials are found in UTF-16 of either order, after bytes that are no text", async () => {
  const utf16 = (text: string) => Buffer.from(text, "utf16le");
  const found = await foundIn(
    Buffer.alloc(99, 0xff),
    Buffer.from(KEY.toUpperCase()),
    utf16(`é ${TOKEN}`),
    utf16(`${KEY} `).swap16(),
  );
  assert.deepEqual(found, [KEY, TOKEN, KEY]);
});
