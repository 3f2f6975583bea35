import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { kurs, temporaryDirectory } from "../support/process.ts";

test("a reader that closes the pipe ends an export quietly", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, "data");
  const file = join(directory.path, "rates.csv");
  const pairs = Array.from({ length: 20_000 }, (_, index) => `X${index + 10_000}`);
  const lines = pairs.map((base) => `${base},USD,1.5,2026-03-13T15:00:00Z\n`);
  await writeFile(file, `base,quote,rate,as_of\n${lines.join("")}`);
  assert.match((await kurs(["rates", "import", file], { dataDirectory })).stdout, /^stored 20000,/);

  for (const format of ["ledger", "csv"]) {
    const ended = await kurs(["rates", "export", "--format", format], {
      dataDirectory,
      // The status is the command's own, not the reader's.
      through: ["/bin/bash", "--norc", "-c", 'set -o pipefail; "$@" | head -n 2', "bash"],
    });
    assert.deepEqual([ended.exitCode, ended.stderr], [0, ""], format);
    assert.equal(ended.stdout.split("\n").length, 3);
  }
});
