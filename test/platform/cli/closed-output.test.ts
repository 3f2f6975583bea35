import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { kurs, temporaryDirectory } from "../../support/process.ts";
import { addManyPairs, databaseIn } from "../storage/stored.ts";

// More pairs and accounts than a pipe holds: each output is at least 0.5 MB.

const directory = await temporaryDirectory();
after(() => directory[Symbol.asyncDispose]());
const dataDirectory = directory.path;
addManyPairs(dataDirectory);
{
  using database = new DatabaseSync(databaseIn(dataDirectory));
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5999)
    INSERT INTO accounts (id, email, password_hash, plan, created_at)
    SELECT printf('%08x-0000-7000-8000-000000000001', n), printf('account-%d@example.org', n), '',
      'free', '2020-01-01T00:00:00.000Z' FROM numbers;
    INSERT INTO publications (source, received_at) VALUES ('import', '2026-03-13T15:00:00.000Z');
    INSERT INTO figures (base, quote, source, kind, date, as_of, revision, rate, stored_at, publication)
    SELECT base, quote, source, 'middle', '2026-03-13', as_of, 1, rate, '2026-03-13T15:00:00.000Z',
      (SELECT max(id) FROM publications) FROM rates`);
}

for (const [command, first] of [
  ["rates list", /^PAIR +RATE +AS OF +AGE +SOURCE +NEXT +STATE\n$/],
  ["rates list --json", /^\[\n$/],
  ["rates export --format ledger", /^P 2026-03-13 "X00000" .+\n$/],
  ["rates export --format csv", /^base,quote,.+\n$/],
  ["usage export", /^account_id,.+\n$/],
  ["usage export --format ndjson", /^\{"account_id":.+\}\n$/],
] as const) {
  test(`kurs ${command} ends without an error when its reader closes the pipe`, async () => {
    // The shell's own pipe and `head`; the status is the command's own, not the reader's.
    const pipe = 'set -o pipefail; "$@" | head -n 1';
    const through = ["/bin/bash", "--norc", "-c", pipe, "bash"];
    const ended = await kurs(command.split(" "), { dataDirectory, through });
    assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
    assert.match(ended.stdout, first);
  });
}

test("kurs usage export exits with 1 when the disk is full", async () => {
  const through = ["sh", "-c", 'exec "$@" > /dev/full', "sh"];
  const { exitCode, stderr } = await kurs(["usage", "export"], { dataDirectory, through });

  assert.equal(exitCode, 1);
  assert.match(stderr, /^kurs: Cannot write to stdout: the disk has no space .*\.\n$/);
});
