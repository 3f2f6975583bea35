import assert from "node:assert/strict";
import { test } from "node:test";
import { publishers } from "../../../src/rates/sources/publishers/catalogue.ts";
import { kurs } from "../../support/command-line.ts";
import { temporaryDirectory } from "../../support/process.ts";

/** Nothing is requested in these tests: each of them ends before. */
const backfill = (...args: readonly string[]) => kurs(["rates", "backfill", ...args]);

test("without a source the command lists those that have an archive, and since when", async () => {
  const { exitCode, stdout, stderr } = await backfill();

  assert.deepEqual([exitCode, stderr], [0, ""]);
  const [headings = "", ...rows] = stdout.trimEnd().split("\n");
  assert.match(headings, /^SOURCE +SINCE +REQUESTS +EVERY +AT LEAST +PUBLISHER$/);
  assert.match(rows[0] ?? "", /^ecb +1999-01-04 +1 +0\.5 s +0 s +European Central Bank$/);
  assert.match(stdout, /^cbr +1999-01-04 +\d{4,5} +0\.5 s +\d+ (?:min|h) +Bank of Russia$/m);
  const archived = publishers.filter(({ archive }) => archive !== undefined);
  assert.deepEqual(
    rows.map((row) => row.split(" ")[0]),
    archived.map(({ key }) => key),
  );
});

test("the list as JSON has the number of requests and the least seconds they take", async () => {
  const { stdout } = await backfill("--json");
  const list: readonly Readonly<Record<string, unknown>>[] = JSON.parse(stdout);
  assert.deepEqual(
    list.find(({ source }) => source === "ecb"),
    {
      source: "ecb",
      name: "European Central Bank",
      since: "1999-01-04",
      requests: 1,
      seconds_between: 0.5,
      seconds_at_least: 0,
    },
  );
  const riksbank = list.find(({ source }) => source === "riksbank");
  assert.equal(riksbank?.seconds_at_least, (Number(riksbank?.requests) - 1) * 13);
});

const wrongUses: readonly (readonly [args: string, message: RegExp])[] = [
  ["--from 2020-01-01", /^kurs: --from and --to are for the sources named before them: name one/],
  ["ecb --all", /^kurs: name sources, or use --all\n$/],
  ["--all --to 9999-12-31", /^kurs: --to 9999-12-31 is in the future\n$/],
  ["kraken", /^kurs: kraken: Kraken has no archive that Kurs knows; kurs rates backfill lists /],
  ["ecb snb", /^kurs: snb: Swiss National Bank has no archive that Kurs knows;/],
  ["ecb bank", /^kurs: unknown source bank; known sources: ecb, cnb, nbp, /],
  ["ecb --from 2024-02-30", /^kurs: --from "2024-02-30": there is no such day\n$/],
  ["ecb --to 13.03.2026", /^kurs: --to "13\.03\.2026": must be a date such as 2026-03-13\n$/],
  ["ecb --from 2024-03-02 --to 2024-03-01", /^kurs: --from 2024-03-02 is after --to 2024-03-01: /],
  ["ecb --to 9999-12-31", /^kurs: --to 9999-12-31 is in the future\n$/],
  ["ecb --from 9999-12-31", /^kurs: --from 9999-12-31 is in the future\n$/],
  ["ecb --to 1999-01-03", /^kurs: ecb has figures since 1999-01-04 only\n$/],
];

for (const [args, message] of wrongUses) {
  test(`kurs rates backfill ${args} is wrong use, with one sentence`, async () => {
    const { exitCode, stdout, stderr } = await backfill(...args.split(" "));
    assert.deepEqual([exitCode, stdout], [2, ""]);
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split("\n").length, 1);
  });
}

test("--all says how many archives and requests it is for, those that begin later left out", async () => {
  await using directory = await temporaryDirectory();
  const at = { dataDirectory: directory.path };
  const announced = async (...dates: string[]) => {
    const { exitCode, stderr } = await kurs(["rates", "backfill", "--all", ...dates], at);
    assert.equal(exitCode, 1);
    const [first = "", second] = stderr.split("\n");
    assert.match(second ?? "", /no database/i);
    return first;
  };

  const all = publishers.filter(({ archive }) => archive !== undefined).length;
  assert.match(
    await announced("--from", "2024-01-01", "--to", "2026-11-27"),
    new RegExp(`^${all} archives: \\d\\d,\\d{3} requests, at least \\d+ h`),
  );
  // InforEuro's two months and Taiwan's file.
  assert.equal(await announced("--to", "1994-04-30"), "2 archives: 3 requests, at least 1 s");
});

test("a backfill creates no store", async () => {
  await using directory = await temporaryDirectory();
  const ended = await kurs(["rates", "backfill", "ecb"], { dataDirectory: directory.path });
  assert.deepEqual([ended.exitCode, ended.stdout], [1, ""]);
  assert.match(ended.stderr, /no database/i);
});
