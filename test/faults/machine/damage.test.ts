import assert from "node:assert/strict";
import { copyFile, open, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { seededRandom } from "../../../harness/seeded-random.ts";
import { clientOf } from "../../support/client.ts";
import { type Ended, Program, temporaryDirectory } from "../../support/process.ts";
import { customerOf, startServer } from "./faults.ts";

const FILES = ["kurs.db", "kurs.db-wal"];

/** Writes noise over bytes of a file, the same each time. */
async function scramble(file: string, offset: number, bytes: number): Promise<void> {
  const random = seededRandom(20_261_121);
  await using handle = await open(file, "r+");
  await handle.write(
    Buffer.from(Array.from({ length: bytes }, () => random() * 256)),
    0,
    bytes,
    offset,
  );
}

/** What precedes the pages in a log, and a page of 4 KiB with its own header. */
const LOG_HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;

/** Where the first page of a table lies in the file. */
function pageOf(file: string, table: string): { offset: number; bytes: number } {
  using database = new DatabaseSync(file);
  const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table);
  const bytes = Number(database.prepare("PRAGMA page_size").get()?.page_size);
  return { offset: (Number(page?.rootpage) - 1) * bytes, bytes };
}

/** What the files hold; one that is not there holds nothing. */
async function bytesOf(directory: string): Promise<Buffer[]> {
  const read = (name: string) => readFile(join(directory, name)).catch(() => Buffer.alloc(0));
  return await Promise.all(FILES.map(read));
}

/** A start that is refused in one sentence, and leaves every byte as it was. */
async function assertRefused(directory: string, sentence: RegExp): Promise<void> {
  const before = await bytesOf(directory);
  await using program = new Program(["serve"], { dataDirectory: directory, env: { PORT: "0" } });
  const { exitCode, signal, stdout, stderr }: Ended = await program.end();
  assert.deepEqual([exitCode, signal, stdout], [1, null, ""], stderr);
  assert.match(stderr, /^kurs: Cannot use the database [^\n]+\.\n$/);
  assert.match(stderr, sentence);
  assert.deepEqual(await bytesOf(directory), before);
}

/** Runs a server, on which a customer has read three rates, and ends it. */
async function usedDirectory(directory: string, end: "stop" | "kill", email = "ada@example.org") {
  await using server = await startServer({ dataDirectory: directory });
  const customer = await customerOf(server, email);
  for (let count = 0; count < 3; count += 1) await customer.read(200);
  await server[end]();
  return customer;
}

suite("a database that is damaged", { concurrency: 2 }, () => {
  const places = ["sqlite_schema", "api_keys", "charged_units", "mails_due", "rates"];

  test("noise in any table's page or in the header, or a file cut short: no start, no byte changed", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "kurs.db");
    await usedDirectory(directory.path, "stop");
    await copyFile(file, `${file}.good`);

    for (const table of places) {
      const { offset, bytes } = pageOf(file, table === "sqlite_schema" ? "plans" : table);
      // Of the first page, what follows the file's header: the list of all tables.
      if (table === "sqlite_schema") await scramble(file, 100, 500);
      else await scramble(file, offset, bytes);
      await assertRefused(directory.path, /it is damaged; restore a backup/);
      await copyFile(`${file}.good`, file);
    }
    await scramble(file, 0, 100);
    await assertRefused(directory.path, /it is not a Kurs database/);
    await copyFile(`${file}.good`, file);
    const { size } = await stat(file);
    for (const kept of [size / 2, size - 4096, size - 1]) {
      await truncate(file, kept);
      await assertRefused(directory.path, /it is damaged; restore a backup/);
      await copyFile(`${file}.good`, file);
    }
    await using server = await startServer({ dataDirectory: directory.path });
    await server.stopWell();
  });

  test("damage that shows while it runs: from then on 503, not a byte written, and the log says so", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "kurs.db");
    await using server = await startServer({ dataDirectory: directory.path });
    const customer = await customerOf(server);
    await customer.read(200);
    {
      using beside = new DatabaseSync(file, { timeout: 5000 });
      beside.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      const { offset, bytes } = pageOf(file, "charged_units");
      await scramble(file, offset, bytes);
      // What another process writes makes the server read its pages anew.
      beside.exec("INSERT INTO plans (name, units_per_period) VALUES ('pro', 1)");
    }

    await customer.assertUnavailable();
    const before = await bytesOf(directory.path);
    for (let count = 0; count < 5; count += 1) await customer.assertUnavailable();
    const usage = await customer.client.get("/v1/account/usage", { session: customer.session });
    assert.equal(usage.status, 503);
    assert.deepEqual(await bytesOf(directory.path), before);
    assert.match(await server.stopWell(), /the database is damaged and no longer used/);
    await assertRefused(directory.path, /it is damaged; restore a backup/);
  });

  test("in a file too large to be read at a start: told by the first read, which is not charged", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "kurs.db");
    const { apiKey } = await usedDirectory(directory.path, "stop");
    {
      using beside = new DatabaseSync(file);
      beside.exec("CREATE TABLE filler AS SELECT zeroblob(55 * 1024 * 1024) AS content");
    }
    const { offset, bytes } = pageOf(file, "charged_units");
    await scramble(file, offset, bytes);

    await using server = await startServer({ dataDirectory: directory.path });
    const read = () => clientOf(server.url).get("/v1/rates/EUR/USD", { apiKey });
    assert.equal((await read()).status, 503);
    const before = await bytesOf(directory.path);
    assert.equal((await read()).status, 503);
    // Told in two words: the difference of 55 MB is no message.
    assert.ok(Buffer.concat(before).equals(Buffer.concat(await bytesOf(directory.path))));
    assert.match(await server.stopWell(), /the database is damaged and no longer used/);
  });

  test("a database that a kill -9 has left half made is no damage: the next start makes it", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "kurs.db");
    {
      // What has not been committed is in the file already, and the journal says how to undo it.
      using making = new DatabaseSync(join(directory.path, "making.db"));
      making.exec("PRAGMA cache_size = 1; BEGIN; CREATE TABLE filler (content)");
      making.exec("INSERT INTO filler VALUES (zeroblob(1000000))");
      await copyFile(join(directory.path, "making.db"), file);
      await copyFile(join(directory.path, "making.db-journal"), `${file}-journal`);
    }
    assert.ok((await stat(file)).size > 0);

    const { session } = await usedDirectory(directory.path, "kill");
    await using server = await startServer({ dataDirectory: directory.path });
    assert.equal(await clientOf(server.url).usedUnits(session), 3);
    await server.stopWell();
  });

  test("noise in the log that a kill -9 has left: what it held is gone, the rest is whole", async () => {
    await using directory = await temporaryDirectory();
    const { session, apiKey } = await usedDirectory(directory.path, "kill");
    const log = join(directory.path, "kurs.db-wal");
    // The last transaction: a charge. After it there are zeros, where the log was given its size.
    const written = (await readFile(log)).findLastIndex((byte) => byte !== 0) + 1;
    const frames = Math.ceil((written - LOG_HEADER_BYTES) / FRAME_BYTES);
    await scramble(log, LOG_HEADER_BYTES + frames * FRAME_BYTES - 4096, 4096);

    await using server = await startServer({ dataDirectory: directory.path });
    const client = clientOf(server.url);
    assert.equal(await client.usedUnits(session), 2);
    assert.equal((await client.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
    assert.equal(await client.usedUnits(session), 3);
    await server.stopWell();
  });

  test("a shared index cut short ends the process at worst; what was answered is there after", async () => {
    await using directory = await temporaryDirectory();
    await using server = await startServer({ dataDirectory: directory.path });
    const customer = await customerOf(server);
    await customer.read(200);

    await truncate(join(directory.path, "kurs.db-shm"), 0);
    const answered = await customer
      .ask()
      .then(({ status }) => status === 200)
      .catch(() => false);
    await server.kill();
    await rm(join(directory.path, "kurs.db-shm"));

    await using next = await startServer({ dataDirectory: directory.path });
    const units = await clientOf(next.url).usedUnits(customer.session);
    assert.ok(units >= (answered ? 2 : 1) && units <= 2, `${units} units`);
    await next.stopWell();
  });
});
