import assert from "node:assert/strict";
import { test } from "node:test";
import { kurs } from "../support/command-line.ts";
import { temporaryDirectory } from "../support/process.ts";

const lines = [
  "base,quote,rate,as_of",
  "ZAR,USD,0.05,2020-01-02T15:00:00Z",
  "EUR,USD,1.10,2020-01-02T15:00:00Z",
  "ZAR,USD,0.60,2020-01-03T15:00:00Z",
  "EUR,USD,1.20,2020-01-03T15:00:00Z",
  "AUD,USD,0.60,2020-01-02T15:00:00Z",
  "EUR,USD,1.15,2020-01-02T15:00:00Z",
  "AUD,USD,2.60,2020-01-03T15:00:00Z",
  "EUR,USD,1.30,2020-01-04T15:00:00Z",
];

test("an import keeps the order of a pair's lines, and reports lines in the file's order", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  const imported = await kurs(["rates", "import", "-"], { dataDirectory, input: lines.join("\n") });
  const counts = "stored 6 (1 older than the served rate), unchanged 0, held 2, rejected 0\n";
  assert.equal(imported.stdout, counts);
  const reported = imported.stderr.match(/^line \d+: \w+\/\w+/gm);
  assert.deepEqual(reported, ["line 4: ZAR/USD", "line 8: AUD/USD"]);

  const { stdout } = await kurs(["rates", "history", "EUR", "USD"], { dataDirectory });
  assert.deepEqual(stdout.match(/1\.\d\d\b/g), ["1.10", "1.20", "1.30"]);
});
