import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { startService, TestClock } from "../support/service.ts";
import { newSigningKey, publicKeysOf } from "../support/signatures.ts";

const DOCUMENT = join(import.meta.dirname, "../../docs/proof.md");

type IsGenuine = (response: Response, keys: readonly object[]) => Promise<boolean>;

/** Loads the document's code as it is, from memory: its package gets its place on the disk. */
async function loadExample(): Promise<IsGenuine> {
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync(DOCUMENT, "utf8")) ?? [];
  const place = import.meta.resolve("http-message-signatures");
  const script = stripTypeScriptTypes(code).replace('"http-message-signatures"', `"${place}"`);
  const address = `data:text/javascript,${encodeURIComponent(script)}`;
  const { isGenuine } = (await import(address)) as { readonly isGenuine: IsGenuine };
  return isGenuine;
}

test("the document's code accepts a signed response, and rejects it after a change", async () => {
  const isGenuine = await loadExample();
  // The verifier compares a signature's time with the machine's.
  const clock = new TestClock(new Date().toISOString());
  await using node = await startService({ clock, config: { signingKey: newSigningKey() } });
  const { apiKey } = await node.newCustomer();
  const headers = { authorization: `ApiKey ${apiKey}` };

  const response = await fetch(`${node.url}/v1/rates/EUR/USD`, { headers });
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
