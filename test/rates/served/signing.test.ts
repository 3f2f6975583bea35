import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import type { SigningKey } from "../../../src/rates/served/signing-key.ts";
import { engines } from "../../support/both-engines.ts";
import type { Answer } from "../../support/client.ts";
import { databaseOf, newPostgresDatabase } from "../../support/postgres-databases.ts";
import { kurs, temporaryDirectory } from "../../support/process.ts";
import { openWire, plainRead } from "../../support/raw-connection.ts";
import { openNodeWire } from "../../support/read-both-ways.ts";
import { startService } from "../../support/service.ts";
import { isGenuine, newKeyPem, newSigningKey, publicKeysOf } from "../../support/signatures.ts";

const SIGNATURE_HEADERS = ["content-digest", "signature-input", "signature"];

const UNSIGNED = SIGNATURE_HEADERS.map(() => undefined);

const signatureOf = ({ headers }: Answer) => SIGNATURE_HEADERS.map((name) => headers[name]);

/** A store on an engine: nodes with keys of their own start on it, one after the other or at once. */
async function newStoreOn(engine: (typeof engines)[number]) {
  await using starting = new AsyncDisposableStack();
  const { path: dataDirectory } = starting.use(await temporaryDirectory());
  const database = engine === "sqlite" ? undefined : starting.use(await newPostgresDatabase());
  const started = starting.move();
  const settings = database === undefined ? {} : { database: databaseOf(database.url) };
  const env = database === undefined ? {} : { DATABASE_URL: database.url };
  return {
    startNode: (signingKey?: SigningKey) =>
      startService({ dataDirectory, config: { ...settings, signingKey } }),
    /** Imports a rate by a command that signs with a key of its own. @returns the imported file. */
    async importRate(pem: string | undefined, line: string) {
      const path = join(dataDirectory, "command-key.pem");
      if (pem !== undefined) await writeFile(path, pem, { mode: 0o600 });
      const key = pem === undefined ? {} : { SIGNING_KEY_FILE: path };
      const input = `base,quote,rate,as_of\n${line}\n`;
      const how = { dataDirectory, env: { ...env, ...key }, input };
      const { exitCode, stderr } = await kurs(["rates", "import", "-"], how);
      assert.equal(exitCode, 0, stderr);
      return input;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

for (const engine of engines) {
  suite(`signed rates, on ${engine}`, () => {
    test("a read's signature verifies on both ways and of a HEAD, and no other text, source or key does", async () => {
      await using store = await newStoreOn(engine);
      await using node = await store.startNode(newSigningKey());
      const { apiKey } = await node.newCustomer();
      const keys = await publicKeysOf(node);
      using fast = await openWire(node.url);
      using slow = await openNodeWire(node.url);

      const answer = await fast.readRate("EUR/USD", apiKey);
      const second = await slow.readRate("EUR/USD", apiKey);
      slow.send(plainRead(apiKey).replace("GET", "HEAD"));
      const head = await slow.answer(true);

      assert.equal(keys.length, 1);
      for (const read of [answer, second]) assert.ok(await isGenuine(read, keys));
      assert.equal(head.text, "");
      for (const other of [second, head]) assert.deepEqual(signatureOf(other), signatureOf(answer));
      const { headers } = answer;
      const text = answer.text.replace(/(?<="rate":")\d/, (digit) => `${(Number(digit) + 1) % 10}`);
      const source = String(headers["rate-source"]).replace("ecb", "boc");
      assert.notDeepEqual([text, source], [answer.text, headers["rate-source"]]);
      const changed = { ...answer, headers: { ...headers, "rate-source": source } };
      const forged = keys.map((key) => ({ ...key, x: newSigningKey().publicKey }));
      assert.equal(await isGenuine({ ...answer, text }, keys), false);
      assert.equal(await isGenuine(changed, keys), false);
      assert.equal(await isGenuine(answer, forged), false);
    });

    test("a new key signs new rates and those without a signature; an old one is listed as long as it has signed one", async () => {
      await using store = await newStoreOn(engine);
      const [oldKey, newKey] = [newSigningKey(), newSigningKey()];
      await using first = await store.startNode(oldKey);
      const { apiKey } = await first.newCustomer();
      const before = signatureOf(await first.readRate("EUR/USD", apiKey));
      await store.importRate(undefined, "EUR,CHF,0.95,2026-11-20T00:00:00Z");
      assert.deepEqual(signatureOf(await first.readRate("EUR/CHF", apiKey)), UNSIGNED);
      await store.importRate(newKeyPem(), "EUR,XYZ,1.5,2026-11-20T00:00:00Z");
      await first[Symbol.asyncDispose]();

      await using second = await store.startNode();
      const keys = await publicKeysOf(second);
      assert.ok(second.logLines.some((line) => line.includes("SIGNING_KEY_FILE is not set")));
      assert.deepEqual([keys.length, keys[0]?.kid], [2, oldKey.id]);
      const imported = await second.readRate("EUR/XYZ", apiKey);
      assert.ok(await isGenuine(imported, keys));
      assert.equal(imported.headers["rate-source"], 'import;name="Imported by the operator"');
      await second[Symbol.asyncDispose]();

      await using third = await store.startNode(newKey);
      const old = await third.readRate("EUR/USD", apiKey);
      const signed = await third.readRate("EUR/CHF", apiKey);
      const [own, ...others] = await publicKeysOf(third);
      assert.deepEqual([own?.kid, others], [newKey.id, keys]);
      assert.deepEqual(signatureOf(old), before);
      for (const read of [old, signed]) assert.ok(await isGenuine(read, await publicKeysOf(third)));
      assert.match(String(signed.headers["signature-input"]), new RegExp(newKey.id));
    });

    test("an import adds its file's digest beside a server, and keeps the signature", async () => {
      await using store = await newStoreOn(engine);
      await using node = await store.startNode(newSigningKey());
      const { apiKey } = await node.newCustomer();
      const read = () => node.readRate("EUR/USD", apiKey);
      const digestOf = (content: string | Buffer) =>
        `sha-256=:${hash("sha256", content, "base64")}:`;
      const snapshot = readFileSync(join(import.meta.dirname, "../../../snapshot/rates.json"));
      assert.equal((await read()).headers["rate-document"], digestOf(snapshot));

      const file = await store.importRate(newKeyPem(), "EUR,USD,1.2,2026-11-20T00:00:00Z");

      const imported = await read();
      assert.equal(imported.headers["rate-document"], digestOf(file));
      assert.equal(imported.body.rate, "1.2");
      assert.ok(await isGenuine(imported, await publicKeysOf(node)));
    });
  });
}

test("two nodes with keys of their own list each other's", async () => {
  await using store = await newStoreOn("postgres");
  const [one, two] = [newSigningKey(), newSigningKey()];
  await using first = await store.startNode(one);
  await using second = await store.startNode(two);
  const { apiKey } = await first.newCustomer();

  const answers = [first, second].map((node) => node.readRate("EUR/USD", apiKey));
  const lists = [await publicKeysOf(first), await publicKeysOf(second)];

  for (const answer of await Promise.all(answers)) {
    for (const keys of lists) assert.ok(await isGenuine(answer, keys));
  }
  assert.deepEqual(
    lists.map((keys) => keys.map(({ kid }) => kid)),
    // The second node has signed nothing so far: only it lists its key.
    [[one.id], [two.id, one.id]],
  );
});

test("responses without a rate have neither a signature nor a source", async () => {
  await using store = await newStoreOn("sqlite");
  await using node = await store.startNode(newSigningKey());
  const { apiKey } = await node.newCustomer();
  node.query("UPDATE rates SET suspended_at = '2026-11-21T12:00:00.000Z' WHERE quote = 'CHF'");

  const answers = [
    await node.readRate("EUR/XXX", apiKey),
    await node.readRate("EUR/CHF", apiKey),
    await node.readRate("EUR/!", apiKey),
    await node.readRate("EUR/USD", "svc_live_none"),
    await node.get("/.well-known/jwks.json"),
  ];

  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 503, 400, 401, 200],
  );
  for (const answer of answers) {
    assert.deepEqual(signatureOf(answer), UNSIGNED);
    assert.deepEqual(
      [answer.headers["rate-source"], answer.headers["rate-next"]],
      [undefined, undefined],
    );
    assert.doesNotMatch(answer.headers.link ?? "", /license/);
  }
});

test("the public keys are a JSON Web Key Set without the private part, for GET and HEAD only", async () => {
  await using store = await newStoreOn("sqlite");
  const key = newSigningKey();
  await using node = await store.startNode(key);

  const { status, headers, text } = await node.get("/.well-known/jwks.json");
  const head = await node.call("HEAD", "/.well-known/jwks.json");
  const post = await node.post("/.well-known/jwks.json", { json: {} });

  const listed = { kty: "OKP", crv: "Ed25519", x: key.publicKey, kid: key.id, alg: "EdDSA" };
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(text), { keys: [{ ...listed, use: "sig" }] });
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.deepEqual([head.status, head.text], [200, ""]);
  assert.deepEqual([post.status, post.headers.allow], [405, "GET, HEAD"]);
});
