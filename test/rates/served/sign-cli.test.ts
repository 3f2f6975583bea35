import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { kurs } from "../../support/command-line.ts";
import { serve, temporaryDirectory } from "../../support/process.ts";
import { isGenuine, newKeyPem, publicKeysOf } from "../../support/signatures.ts";

const HEADER = "base,quote,rate,as_of\n";

/** A directory with key files and a store, and commands on it. */
async function newPlace() {
  const directory = await temporaryDirectory();
  const { path } = directory;
  const dataDirectory = join(path, "data");
  return {
    path,
    dataDirectory,
    /** Writes a file with a new key. @returns its path. */
    async newKey(name: string): Promise<string> {
      const file = join(path, name);
      await writeFile(file, newKeyPem(), { mode: 0o600 });
      return file;
    },
    serve: (key?: string) => serve({ dataDirectory, env: envOf(key) }),
    run: (args: readonly string[], key?: string, input = "") =>
      kurs(args, { dataDirectory, env: envOf(key), input }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const envOf = (key?: string): Record<string, string> =>
  key === undefined ? {} : { SIGNING_KEY_FILE: key };

const pemOf = (type: "rsa" | "ed448", passphrase?: string) => {
  const { privateKey } =
    type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync(type);
  const cipher = passphrase === undefined ? {} : { cipher: "aes-256-cbc", passphrase };
  return privateKey.export({ type: "pkcs8", format: "pem", ...cipher }).toString();
};

const publicPem = () => {
  const { publicKey } = generateKeyPairSync("ed25519");
  return publicKey.export({ type: "spki", format: "pem" }).toString();
};

const cutShort = (pem: string) => pem.replace(/\n.{20}/, "\n");

suite("SIGNING_KEY_FILE", { concurrency: 4 }, () => {
  const badFiles: readonly (readonly [what: string, content: string, reason: RegExp])[] = [
    ["is empty", "", /is empty$/],
    ["has no PEM", "sesame-42", /is not in PEM$/],
    ["has a key of another kind", pemOf("rsa"), /has a key of type rsa$/],
    ["has a key of another curve", pemOf("ed448"), /has a key of type ed448$/],
    ["has an encrypted key", pemOf("rsa", "sesame"), /is encrypted: decrypt it with openssl pkey$/],
    ["has a public key", publicPem(), /begins with a PUBLIC KEY$/],
    ["has two private keys", newKeyPem() + newKeyPem(), /has 2 private keys instead of one$/],
    ["has a key that is cut short", cutShort(newKeyPem()), /cannot be parsed$/],
    ["has binary data", "\0\u0001\uFFFD", /is not in PEM$/],
  ];

  for (const [what, content, reason] of badFiles) {
    test(`a file that ${what} is reported among all problems, and its content is not`, async () => {
      await using place = await newPlace();
      const file = join(place.path, "key.pem");
      await writeFile(file, content);
      const env = { SIGNING_KEY_FILE: file, PORT: "abc" };

      const ended = await kurs(["serve"], { dataDirectory: place.dataDirectory, env });

      assert.deepEqual([ended.exitCode, ended.stdout], [2, ""]);
      const [, port = "", key = ""] = ended.stderr.split("\n");
      assert.match(port, /^ {2}PORT: /);
      assert.ok(
        key.startsWith("  SIGNING_KEY_FILE: must be a file with an Ed25519 private key"),
        key,
      );
      assert.match(key, reason);
      assert.doesNotMatch(ended.stderr, /sesame|BEGIN|MC4C/);
      assert.deepEqual(await readdir(place.path), ["key.pem"]);
    });
  }

  test("a file that is missing, a directory or unset fails as the setting says", async () => {
    await using place = await newPlace();
    await mkdir(join(place.path, "directory"));

    const missing = await place.run(["serve"], join(place.path, "none.pem"));
    const directory = await place.run(["serve"], join(place.path, "directory"));
    const help = await place.run(["rates", "sign", "--help"], join(place.path, "none.pem"));
    const unset = await place.run(["rates", "sign"]);

    assert.equal(missing.exitCode, 2);
    assert.match(missing.stderr, /SIGNING_KEY_FILE: .+none\.pem cannot be read: no such file$/m);
    assert.match(directory.stderr, /SIGNING_KEY_FILE: .+directory is not a file$/m);
    assert.equal(help.exitCode, 0);
    assert.match(help.stdout, /SIGNING_KEY_FILE=signing-key\.pem kurs rates sign/);
    assert.deepEqual([unset.exitCode, unset.stdout], [2, ""]);
    assert.match(unset.stderr, /^kurs: SIGNING_KEY_FILE is not set: .+\n$/);
    assert.deepEqual(await readdir(place.path), ["directory"]);
  });

  test("the doctor warns of a key that other users can read, and shows no key", async () => {
    await using place = await newPlace();
    const key = await place.newKey("key.pem");
    const closed = await place.run(["doctor"], key);
    await chmod(key, 0o640);

    const open = await place.run(["doctor"], key);

    assert.doesNotMatch(closed.stdout, /signing key/);
    assert.match(open.stdout, /^warning +settings +other users .+: chmod 600 .+key\.pem$/m);
    assert.doesNotMatch(open.stdout + open.stderr, /BEGIN|MC4C/);
  });
});

suite("signed rates, by commands", { concurrency: 4 }, () => {
  test("a restore after a leak lists and serves the new key only", async () => {
    await using place = await newPlace();
    const [leaked, fresh] = [await place.newKey("leaked.pem"), await place.newKey("fresh.pem")];
    const backup = join(place.path, "backup.db");
    let apiKey = "";
    let before = "";
    {
      await using server = await place.serve(leaked);
      ({ apiKey } = await server.newCustomer());
      before = String((await server.readRate("EUR/USD", apiKey)).headers.signature);
      assert.equal((await place.run(["backup", backup])).exitCode, 0);
      await server.stop();
    }
    assert.equal((await place.run(["rates", "sign"], fresh)).exitCode, 0);
    const restored = await place.run(["restore", backup], fresh);
    assert.equal(restored.exitCode, 0, restored.stderr);

    await using server = await place.serve(fresh);
    const answer = await server.readRate("EUR/USD", apiKey);

    const keys = await publicKeysOf(server);
    assert.equal(keys.length, 1);
    assert.ok(await isGenuine(answer, keys));
    assert.notEqual(answer.headers.signature, before);
  });

  test("an imported rate and a released one are signed, and a command without the key warns", async () => {
    await using place = await newPlace();
    const key = await place.newKey("key.pem");
    const csv = (rate: string, day: string) =>
      `${HEADER}PEPE,USD,${rate},2020-01-${day}T15:00:00Z\n`;
    const first = await place.run(["rates", "import", "-"], key, csv("0.0000108", "06"));
    const held = await place.run(["rates", "import", "-"], key, csv("38.87", "07"));
    const released = await place.run(["rates", "release", "PEPE", "USD"], key);
    const unsignedCsv = (rate: string, day: string) => csv(rate, day).replace("PEPE,USD", "A1,B2");
    const run = (input: string) => place.run(["rates", "import", "-"], undefined, input);
    const warned = await run(unsignedCsv("1", "06"));
    const heldUnsigned = await run(unsignedCsv("9", "07"));
    const releasedUnsigned = await place.run(["rates", "release", "A1", "B2"]);
    const unsigned = await place.run(["rates", "release", "PEPE", "USD"]);

    assert.deepEqual([first.exitCode, held.exitCode, released.exitCode], [0, 1, 0]);
    for (const { stderr } of [first, held, released]) assert.doesNotMatch(stderr, /SIGNING_KEY/);
    const exitCodes = [warned, heldUnsigned, releasedUnsigned].map(({ exitCode }) => exitCode);
    assert.deepEqual(exitCodes, [0, 1, 0]);
    for (const { stderr } of [warned, releasedUnsigned]) {
      assert.match(stderr, /^warning: this store's rates are signed, .+SIGNING_KEY_FILE$/m);
    }
    assert.equal(unsigned.exitCode, 1);
    await using server = await place.serve();
    const { apiKey } = await server.newCustomer();
    const keys = await publicKeysOf(server);
    const answer = await server.readRate("PEPE/USD", apiKey);
    assert.equal(answer.body.rate, "38.87");
    assert.ok(await isGenuine(answer, keys));
    assert.equal((await server.readRate("A1/B2", apiKey)).headers.signature, undefined);
  });

  test("sign replaces every signature beside a server, whose list then lacks the old key", async () => {
    await using place = await newPlace();
    const [leaked, fresh] = [await place.newKey("leaked.pem"), await place.newKey("fresh.pem")];
    {
      await using server = await place.serve(leaked);
      await server.stop();
    }
    await using server = await place.serve(fresh);
    const { apiKey } = await server.newCustomer();
    const before = await server.readRate("EUR/USD", apiKey);
    const [own, old] = await publicKeysOf(server);
    assert.ok(await isGenuine(before, [old ?? assert.fail("the old key is listed")]));

    const { exitCode, stdout, stderr } = await place.run(["rates", "sign"], fresh);

    const after = await server.readRate("EUR/USD", apiKey);
    const keys = await publicKeysOf(server);
    const rates = await place.run(["rates", "list", "--json"]);
    assert.deepEqual([exitCode, stderr], [0, ""]);
    const count = (JSON.parse(rates.stdout) as unknown[]).length;
    assert.equal(stdout, `signed ${count} rates with the key ${own?.kid}\n`);
    assert.deepEqual(keys, [own]);
    assert.equal(after.text, before.text);
    assert.ok(await isGenuine(after, keys));
    assert.equal(await isGenuine(before, keys), false);
    const audit = await place.run(["audit", "--json"]);
    assert.match(audit.stdout, new RegExp(`"rates.signed"[^]*"signed": ?${count}`));
  });

  test("neither the store nor the log has the private key", async () => {
    await using place = await newPlace();
    const key = await place.newKey("key.pem");
    const secret = createPrivateKey(readFileSync(key)).export({ type: "pkcs8", format: "der" });
    const raw = secret.subarray(-32);
    await using server = await place.serve(key);
    const log = JSON.stringify(server.logLines());
    await server.kill();

    const files = readdirSync(place.dataDirectory).filter((name) => name.startsWith("kurs.db"));

    assert.ok(files.includes("kurs.db-wal"));
    const publicKey = createPublicKey(createPrivateKey(readFileSync(key))).export({
      format: "jwk",
    });
    const contents = files.map((name) => readFileSync(join(place.dataDirectory, name)));
    assert.ok(contents.some((content) => content.includes(String(publicKey.x))));
    const texts = (["base64", "base64url", "hex"] as const).map((form) => raw.toString(form));
    for (const form of [raw, ...texts]) {
      for (const content of contents) assert.equal(content.includes(form), false);
      assert.equal(log.includes(String(form)), false);
    }
  });

  test("sign finds no store and makes none", async () => {
    await using place = await newPlace();

    const ended = await place.run(["rates", "sign"], await place.newKey("key.pem"));

    assert.deepEqual([ended.exitCode, ended.stdout], [1, ""]);
    assert.deepEqual(await readdir(place.path), ["key.pem"]);
  });
});
