// Load and kills while a database of 20,000 pairs is backed up or restored.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import {
  copyOf,
  databaseIn,
  namesIn,
  stateOf,
  storeWithBackup,
} from "../../test/platform/storage/stored.ts";
import { clientOf } from "../../test/support/client.ts";
import { eventually } from "../../test/support/mails.ts";
import { kurs, Program, serve, temporaryDirectory } from "../../test/support/process.ts";
import { Reads } from "../support/reads.ts";

const READERS = 8;

const stored = await storeWithBackup();

const KEPT = /^kurs\.db\.replaced-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

const restore = (dataDirectory: string, ...args: string[]) =>
  kurs(["restore", ...args], { dataDirectory });

test("a backup during reads contains every unit charged before it, and fails no read", async () => {
  await using directory = await copyOf(stored.dataDirectory);
  await using target = await temporaryDirectory();
  await using server = await serve({
    dataDirectory: directory.path,
    env: { PLAN_FREE_UNITS: "1000000" },
  });
  const file = join(target.path, "copy.db");
  const unitsBefore = stateOf(join(directory.path, "kurs.db")).units;
  const client = clientOf(server.url, new Agent({ keepAlive: true, maxSockets: READERS }));
  const read = () => client.readRate("X00001/USD", stored.customer.apiKey);
  await using reads = new Reads(Array.from({ length: READERS }, () => read));
  await reads.untilServed(100);

  const servedBefore = reads.served;
  const ended = await kurs(["backup", file], { dataDirectory: directory.path });
  const sentAfter = reads.sent;
  await reads.stop();

  assert.deepEqual(reads.failed.all(), {});
  assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
  const { integrity, units, dailyUnits, pairs } = stateOf(file);
  assert.deepEqual([integrity, pairs], ["ok", 20_000]);
  assert.ok(units >= unitsBefore + servedBefore, `${units} of ${servedBefore}`);
  assert.ok(units <= unitsBefore + sentAfter, `${units} of ${sentAfter}`);
  assert.equal(dailyUnits, units);
  assert.ok(reads.served > servedBefore + READERS, "no read was served meanwhile");
  assert.match(ended.stdout, new RegExp(`: 2 accounts, 1 active key, ${units} units\n$`));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(namesIn(target.path), ["copy.db"]);
  assert.equal(stateOf(join(directory.path, "kurs.db")).units, unitsBefore + reads.served);
});

test("a killed backup leaves the old file, none or a whole one, and the next one works", async () => {
  await using directory = await copyOf(stored.dataDirectory);
  await using target = await temporaryDirectory();
  const dataDirectory = directory.path;
  for (const exists of [false, true]) {
    const file = join(target.path, `${exists}.db`);
    if (exists) writeFileSync(file, "an older one");
    await using program = new Program(["backup", file, "--force"], { dataDirectory });
    const isAtWork = () => namesIn(target.path).some((name) => name.startsWith(`${exists}.db.`));
    // A backup can end between two polls.
    await eventually("its work", () => isAtWork() || !program.isRunning || undefined);
    program.signal("SIGKILL");
    await program.end();
    const isThere = existsSync(file);
    const isOld = isThere && readFileSync(file, "utf8") === "an older one";
    assert.ok(isThere || !exists);
    if (isThere && !isOld) assert.equal(stateOf(file).integrity, "ok");
    assert.equal((await kurs(["backup", file, "--force"], { dataDirectory })).exitCode, 0);
    assert.equal(stateOf(file).pairs, 20_000);
  }
});

/** What a restore makes in turn: it is killed as soon as it is there. */
const KILLED_AT = ["kurs.lock-journal", "kurs.db.restoring", "kurs.db.replaced-"];

test("a killed restore leaves the complete old or new database", async (t) => {
  const found: number[] = [];
  for (const start of KILLED_AT) {
    await using directory = await copyOf(stored.dataDirectory);
    const dataDirectory = directory.path;
    await using program = new Program(["restore", stored.backup], { dataDirectory });
    const isThere = () => namesIn(dataDirectory).some((name) => name.startsWith(start));
    await eventually(start, () => isThere() || !program.isRunning || undefined);
    program.signal("SIGKILL");
    await program.end();

    // Opened like by the next start, with its WAL.
    const { integrity, dailyUnits, units } = stateOf(databaseIn(dataDirectory));
    assert.deepEqual([integrity, dailyUnits], ["ok", units]);
    assert.ok(units === 5 || units === 12, `${units} units`);
    found.push(units);

    // The next restore removes the files of the killed one, but no database.
    assert.equal((await restore(dataDirectory, stored.backup)).exitCode, 0);
    const { kept = [], others } = Object.groupBy(namesIn(dataDirectory), (name) =>
      KEPT.test(name) ? "kept" : "others",
    );
    assert.deepEqual(others, ["kurs.db", "kurs.lock", "mail"]);
    assert.equal(kept.length, units === 12 ? 1 : 2);
  }
  t.diagnostic(`units after each kill (12: the old, 5: the new): ${found.join(", ")}`);
});
