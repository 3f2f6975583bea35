import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kurs, temporaryDirectory } from "../../test/support/process.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/operating/rates.md"), "utf8");
const [, recipe = ""] = /```sh\n(iconv [\s\S]*?)```/.exec(page) ?? [];

/**
 * Rows of the ministry's file of 2025, in windows-1252: points between groups of digits, a code
 * without a space before it, one with a space behind it, and a currency that is suspended.
 */
const FILE = [
  "Monatlich fortgeschriebene Übersicht der Umsatzsteuer-Umrechnungskurse 2025 (Euro-Referenzkurse);;;;;;;;;;;;;",
  "Land;Währung;Januar[1];Februar [2];März [3];April [4];Mai [5];Juni [6];Juli [7];August [8];September [9];Oktober [10];November [11];Dezember [12]",
  "USA;1 Euro;1,0354 USD;1,0413 USD;1,0807 USD;1,1214 USD;1,1278 USD;1,1516 USD;1,1677 USD;1,1631 USD;1,1732 USD;1,1630 USD;1,1560 USD;1,1709 USD",
  "Großbritannien;1 Euro;0,83908 GBP;0,83071 GBP;0,83703 GBP;0,85379 GBP;0,84350 GBP;0,84981 GBP;0,86469 GBP;0,86528 GBP;0,86895 GBP;0,87155 GBP;0,87997 GBP;0,87500 GBP",
  "Korea, Republik;1 Euro;1.503,60 KRW;1.505,02 KRW;1.576,45 KRW;1.617,41 KRW;1.566,14 KRW;1.573,37 KRW;1.608,95 KRW;1.617,15 KRW;1.634,39KRW;1.655,92 KRW;1.687,64 KRW;1.717,44 KRW",
  "Island;1 Euro;145,40 ISK;146,26 ISK;145,26 ISK;145,00 ISK;145,49 ISK;143,45 ISK;142,39 ISK ;143,10 ISK;142,98 ISK;;;",
  "Russland1;1 Euro;;;;;;;;;;;;",
  "1 Die EZB hat die Veröffentlichung des Euro-Referenzkurses zum Rubel ausgesetzt.;;;;;;;;;;;;;",
  "",
].join("\r\n");

test("the recipe for the ministry's file gives every average with its digits and month", async () => {
  await using directory = await temporaryDirectory();
  const cwd = directory.path;
  writeFileSync(join(cwd, "uu-kurse-2025-csv.csv"), Buffer.from(FILE, "latin1"));

  const converted = spawnSync("sh", ["-ec", recipe], { cwd, encoding: "utf8" });

  assert.equal(converted.status, 0, converted.stderr);
  const [header, ...rows] = readFileSync(join(cwd, "bmf.csv"), "utf8").trimEnd().split("\n");
  assert.equal(header, "base,quote,rate,as_of");
  assert.equal(rows.length, 12 + 12 + 12 + 9);
  assert.equal(rows[0], "EUR,USD,1.0354,2025-01-01");
  for (const row of [
    "EUR,USD,1.1709,2025-12-01",
    "EUR,GBP,0.87500,2025-12-01",
    "EUR,KRW,1503.60,2025-01-01",
    "EUR,KRW,1634.39,2025-09-01",
    "EUR,ISK,142.39,2025-07-01",
  ]) {
    assert.ok(rows.includes(row), row);
  }
  const at = { dataDirectory: join(cwd, "data") };
  assert.equal((await kurs(["migrate"], at)).exitCode, 0);
  const options = ["--source", "bmf", "--published-at", "00:00 Europe/Berlin"];
  const imported = await kurs(["rates", "import", join(cwd, "bmf.csv"), ...options], at);
  assert.equal(imported.exitCode, 0, imported.stderr);
  assert.match(imported.stdout, /rejected 0\n$/);
});
