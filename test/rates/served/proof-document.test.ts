import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { startService, TestClock, type TestService } from "../../support/service.ts";
import { newSigningKey, publicKeysOf } from "../../support/signatures.ts";

const DOCUMENT = join(import.meta.dirname, "../../../docs/proof.md");

type Asked = Readonly<Record<string, string>>;
type IsGenuine = (response: Response, keys: readonly object[], asked?: Asked) => Promise<boolean>;

/** Loads the document's code as it is, from memory: its package gets its place on the disk. */
async function loadExample(): Promise<IsGenuine> {
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync(DOCUMENT, "utf8")) ?? [];
  const place = import.meta.resolve("http-message-signatures");
  const script = stripTypeScriptTypes(code).replace('"http-message-signatures"', `"${place}"`);
  const address = `data:text/javascript,${encodeURIComponent(script)}`;
  const { isGenuine } = (await import(address)) as { readonly isGenuine: IsGenuine };
  return isGenuine;
}

async function readRate(node: TestService, asked: Asked = {}): Promise<Response> {
  const { apiKey } = await node.newCustomer();
  const headers = { authorization: `ApiKey ${apiKey}`, ...asked };
  return fetch(`${node.url}/v1/rates/EUR/USD`, { headers });
}

const isGenuine = await loadExample();

test("the document's code accepts a signed response, and rejects it after a change", async () => {
  await using node = await startService({ config: { signingKey: newSigningKey() } });

  const response = await readRate(node);
  const keys = await publicKeysOf(node);

  const body = await response.clone().text();
  const changed = (text: string, replaced: Record<string, string> = {}) =>
    new Response(text, { headers: { ...Object.fromEntries(response.headers), ...replaced } });
  assert.equal(await isGenuine(response, keys), true);
  assert.equal(await isGenuine(changed(body), keys), true);
  assert.equal(await isGenuine(changed(body.replace(".", ".9")), keys), false);
  assert.equal(await isGenuine(changed(body, { "rate-source": "boc" }), keys), false);
  assert.equal(await isGenuine(response, []), false);
  assert.equal(await isGenuine(new Response(body), keys), false);
});

test("the document's code accepts a rate of the past with the time asked for alone", async () => {
  await using node = await startService({ config: { signingKey: newSigningKey() } });
  const asked = { "accept-datetime": "Sat, 14 Mar 2026 00:00:00 GMT" };
  const other = { "accept-datetime": "Sat, 14 Mar 2026 00:00:01 GMT" };
  const [past, newest] = [await readRate(node, asked), await readRate(node)];
  const keys = await publicKeysOf(node);

  assert.equal(await isGenuine(past, keys, asked), true);
  assert.equal(await isGenuine(past, keys, other), false);
  assert.equal(await isGenuine(past, keys), false);
  assert.equal(await isGenuine(newest, keys, asked), false);
});

for (const [what, hours] of [
  ["behind", 1],
  ["ahead", -1],
] as const) {
  test(`the document's code accepts a response by a client's clock one hour ${what}`, async () => {
    // The verifier reads the machine's clock.
    const clock = new TestClock(new Date(Date.now() + hours * 3_600_000).toISOString());
    await using node = await startService({ clock, config: { signingKey: newSigningKey() } });

    const response = await readRate(node);

    assert.equal(await isGenuine(response, await publicKeysOf(node)), true);
  });
}

test("the document's code rejects a response without one of the headers, or unsigned", async () => {
  await using node = await startService({ config: { signingKey: newSigningKey() } });
  await using unsigning = await startService();
  const response = await readRate(node);
  const keys = await publicKeysOf(node);

  for (const name of ["rate-source", "content-digest", "signature-input", "signature"]) {
    const headers = new Headers(response.headers);
    assert.ok(headers.has(name));
    headers.delete(name);
    const stripped = new Response(await response.clone().text(), { headers });
    assert.equal(await isGenuine(stripped, keys), false, name);
  }
  const unsigned = await readRate(unsigning);
  assert.deepEqual(await publicKeysOf(unsigning), []);
  assert.deepEqual([unsigned.status, unsigned.headers.has("signature")], [200, false]);
  assert.equal(await isGenuine(unsigned, keys), false);
});
