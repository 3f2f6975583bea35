import assert from "node:assert/strict";
import { copyFile, open, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { seededRandom } from "../../../harness/seeded-random.ts";
import { type Ended, Program, temporaryDirectory } from "../../../test/support/process.ts";
import { assertRead, startServer } from "./faults.ts";

const FILES = ["kurs.db", "kurs.db-wal"];

/** Overwrites bytes of a file with pseudo-random ones, the same each time. */
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

/** The header of a WAL, and a frame: its header and a page of 4 KiB. */
const WAL_HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;

/** @returns the position of a table's first page in the file. */
function pageOf(file: string, table: string): { offset: number; bytes: number } {
  using database = new DatabaseSync(file);
  const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table);
  const bytes = Number(database.prepare("PRAGMA page_size").get()?.page_size);
  return { offset: (Number(page?.rootpage) - 1) * bytes, bytes };
}

/** The contents of the files; empty for a missing one. */
async function bytesOf(directory: string): Promise<Buffer[]> {
  const read = (name: string) => readFile(join(directory, name)).catch(() => Buffer.alloc(0));
  return await Promise.all(FILES.map(read));
}

/** Asserts that a start fails with one sentence and changes no byte. */
async function assertNotStarted(directory: string, sentence: RegExp): Promise<void> {
  const before = await bytesOf(directory);
  await using program = new Program(["serve"], { dataDirectory: directory, env: { PORT: "0" } });
  const { exitCode, signal, stdout, stderr }: Ended = await program.end();
  assert.deepEqual([exitCode, signal, stdout], [1, null, ""], stderr);
  assert.match(stderr, /^kurs: Cannot use the database [^\n]+\.\n$/);
  assert.match(stderr, sentence);
  assert.deepEqual(await bytesOf(directory), before);
}

/** Runs a server, reads three rates, and stops or kills it. */
async function usedDirectory(directory: string, end: "stop" | "kill", email = "ada@example.org") {
  await using server = await startServer({ dataDirectory: directory });
  const customer = await server.newCustomer(email);
  for (let count = 0; count < 3; count += 1) await assertRead(customer);
  await server[end]();
  return customer;
}

suite("a damaged database", { concurrency: 2 }, () => {
  const places = ["sqlite_schema", "api_keys", "charged_units", "mails_due", "rates"];

  test("a server does not start on a damaged or truncated database and changes no byte", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "kurs.db");
    await usedDirectory(directory.path, "stop");
    await copyFile(file, `${file}.good`);

    for (const table of places) {
      const { offset, bytes } = pageOf(file, table === "sqlite_schema" ? "plans" : table);
      // The part of the first page after the file's header, which lists all tables.
      if (table === "sqlite_schema") await scramble(file, 100, 500);
      else await scramble(file, offset, bytes);
      await assertNotStarted(directory.path, /it is damaged; restore a backup/);
      await copyFile(`${file}.good`, file);
    }
    await scramble(file, 0, 100);
    await assertNotStarted(directory.path, /it is not a Kurs database/);
    await copyFile(`${file}.good`, file);
    const { size } = await stat(file);
    for (const kept of [size / 2, size - 4096, size - 1]) {
      await truncate(file, kept);
      await assertNotStarted(directory.path, /it is damaged; restore a backup/);
      await copyFile(`${file}.good`, file);
    }
    await using server = await startServer({ dataDirectory: directory.path });
    await server.stopWell();
  });

  test("in a file too large to check at startup, the first read finds the damage and is not charged", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "kurs.db");
    const { apiKey, session } = await usedDirectory(directory.path, "stop");
    {
      using other = new DatabaseSync(file);
      other.exec("CREATE TABLE filler AS SELECT zeroblob(55 * 1024 * 1024) AS content");
    }
    const { offset, bytes } = pageOf(file, "charged_units");
    await scramble(file, offset, bytes);

    await using server = await startServer({ dataDirectory: directory.path });
    const read = () => server.get("/v1/rates/EUR/USD", { apiKey });
    assert.equal((await read()).status, 503);
    const before = await bytesOf(directory.path);
    assert.equal((await read()).status, 503);
    assert.equal((await server.get("/v1/account/usage", { session })).status, 503);
    // Not deepEqual, whose message would contain a difference of 55 MB.
    assert.ok(Buffer.concat(before).equals(Buffer.concat(await bytesOf(directory.path))));
    assert.match(await server.stopWell(), /the database is damaged and no longer used/);
  });

  test("damage in the WAL after a kill -9 loses only the damaged transaction", async () => {
    await using directory = await temporaryDirectory();
    const { session, apiKey } = await usedDirectory(directory.path, "kill");
    const wal = join(directory.path, "kurs.db-wal");
    // The last transaction is a charge. The preallocated rest of the WAL is zeros.
    const written = (await readFile(wal)).findLastIndex((byte) => byte !== 0) + 1;
    const frames = Math.ceil((written - WAL_HEADER_BYTES) / FRAME_BYTES);
    await scramble(wal, WAL_HEADER_BYTES + frames * FRAME_BYTES - 4096, 4096);

    await using server = await startServer({ dataDirectory: directory.path });
    assert.equal(await server.usedUnits(session), 2);
    assert.equal((await server.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
    assert.equal(await server.usedUnits(session), 3);
    await server.stopWell();
  });

  test("a truncated kurs.db-shm may end the process but loses no acknowledged charge", async () => {
    await using directory = await temporaryDirectory();
    await using server = await startServer({ dataDirectory: directory.path });
    const customer = await server.newCustomer("ada@example.org");
    await assertRead(customer);

    await truncate(join(directory.path, "kurs.db-shm"), 0);
    const answered = await customer
      .read()
      .then(({ status }) => status === 200)
      .catch(() => false);
    await server.kill();
    await rm(join(directory.path, "kurs.db-shm"));

    await using next = await startServer({ dataDirectory: directory.path });
    const units = await next.usedUnits(customer.session);
    assert.ok(units >= (answered ? 2 : 1) && units <= 2, `${units} units`);
    await next.stopWell();
  });
});
