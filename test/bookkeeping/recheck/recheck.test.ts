import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ecbDay } from "../../support/fake-publisher.ts";
import { contradictory, newRateStore, recorded } from "../applicable-rates/store.ts";

let store: Awaited<ReturnType<typeof newRateStore>>;

const MARCH = recorded("ecb-2026-03.xml").toString();
const AMENDED_AT = "2026-10-02T12:00:00.000Z";

before(async () => {
  store = await newRateStore();
  await store.archive("ecb", MARCH);
  store.clock.set(AMENDED_AT);
  const amended = MARCH.replace(/(time="2026-03-03">.*?"USD" rate=")[0-9.]+/s, "$11.1599");
  // A further zero is a revision of the same value.
  await store.archive("ecb", amended.replace('"USD" rate="1.1649"', '"USD" rate="1.16490"'));
  for (const [date, rates] of [
    ["2026-03-17", ["27.30", "273.00"]],
    ["2026-03-18", ["27.20", "272.00"]],
  ] as const) {
    store.clock.set(`${date}T21:00:00.000Z`);
    await store.refresh("bcra", [contradictory(date, ...rates)]);
    if (date === "2026-03-17") await store.output("rates drop BRL ARS");
    else await store.output("rates release BRL ARS 27.20");
  }
  store.clock.set("2026-03-19T21:00:00.000Z");
  await store.refresh("bcra", [contradictory("2026-03-19", "27.10", "271.00")]);
  for (const jpy of ["180.00", "18.00"]) {
    store.clock.set("2026-03-20T15:30:00.000Z");
    await store.refresh("ecb", [ecbDay("2026-03-20", { JPY: jpy })]);
  }
  // Only what is served is held, not a figure of another kind.
  store.change(`CREATE TEMP TABLE other AS SELECT * FROM figures WHERE quote = 'JPY' AND rate = '18.00';
    UPDATE other SET kind = 'buying'; INSERT INTO figures SELECT * FROM other`);
  await store.import("GBP,SEK,12.5,2026-03-02T15:00:00Z\nEUR,USD,1.17,2026-03-03T15:00:00Z");
  await store.import("GBP,SEK,125,2026-03-03T15:00:00Z");
  await store.output("rates drop GBP SEK");
  // A deletion is of the served figure, not of an equal one of an earlier date.
  await store.import("GBP,NOK,13.1,2026-02-27T15:00:00Z");
  const both = "GBP,NOK,13.1,2026-03-02T15:00:00Z\nGBP,DKK,8.5,2026-03-02T15:00:00Z";
  await store.import(both);
  await store.output("rates delete GBP NOK");
  await store.output("rates delete GBP DKK");
  await store.import(both);
  await store.output("rates delete GBP NOK");
  // Dropped as a jump, then stated and released again; an amendment that was dropped.
  await store.import("GBP,PLN,5,2026-03-02T15:00:00Z\nGBP,HUF,450,2026-03-02T15:00:00Z");
  for (const decide of ["drop", "release"]) {
    await store.import("GBP,PLN,50,2026-03-03T15:00:00Z");
    await store.output(`rates ${decide} GBP PLN`);
  }
  await store.import("GBP,HUF,45,2026-03-02T15:00:00Z");
  await store.output("rates drop GBP HUF");
  for (const line of ["1.7,2026-03-02", "17,2026-03-03", "170,2026-03-04"]) {
    await store.import(`GBP,SGD,${line}T15:00:00Z`);
  }
  await store.import("GBP,CHF,1.1,2026-03-02T10:00:00Z\nGBP,CHF,1.2,2026-03-02T15:00:00Z");
});

after(() => store[Symbol.asyncDispose]());

/** Writes a file and runs `kurs rates recheck` on it. */
async function recheck(text: string, options = "") {
  const file = join(store.directory, `${crypto.randomUUID()}.csv`);
  writeFileSync(file, text);
  const ended = await store.run(`rates recheck ${file} ${options}`.trimEnd());
  return { ...ended, stderr: ended.stderr.replaceAll(file, "FILE") };
}

const HEADER = "date,base,quote,rate,source\n";

/** A booked line, what became of its figure, the difference, and the reason. */
const USES: readonly (readonly [line: string, outcome: string, by: string | null, why: RegExp])[] =
  [
    ["2026-03-02,EUR,USD,1.1698,ecb", "unchanged", null, /^$/],
    [
      "2026-03-03,EUR,USD,1.1606,ecb",
      "amended",
      "-0.0007",
      /; used: revision 1, .*Z, document \w{64}$/,
    ],
    ["2026-03-04,EUR,USD,1.1649,ecb", "unchanged", null, /^$/],
    ["2026-03-03,EUR,USD,1.17,ecb", "differs", "-0.0101", /; exactly .* is in import middle$/],
    [
      "2026-03-03,EUR,USD,1.18,",
      "differs",
      "-0.01",
      /^1\.17 now, a difference of -0\.01: revision 1/,
    ],
    ["2026-03-07,EUR,USD,1.1,ecb", "not stored", null, /; the last .* is 1\.1561 for 2026-03-06$/],
    ["2026-03-03,EUR,USD,1.17,nbp", "not stored", null, /; nbp has none before: .* in import/],
    ["2026-03-17,BRL,ARS,27.3,bcra", "contradicted", null, / 27\.30 \(dropped\) and 273\.00 \(dr/],
    ["2026-03-17,BRL,ARS,1,bcra", "contradicted", null, /\(dropped\)$/],
    ["2026-03-18,BRL,ARS,27.2,bcra", "unchanged", null, /^$/],
    ["2026-03-18,BRL,ARS,272,bcra", "contradicted", "-244.80", / 27\.20 \(released\) and 272\.00 /],
    ["2026-03-18,BRL,ARS,2e1,bcra", "differs", "7.20", /^27\.20 now/],
    ["2026-03-19,BRL,ARS,27.10,bcra", "contradicted", null, /^document \w{64} .*10 \(held\)/],
    [
      "2026-03-20,EUR,JPY,180,ecb",
      "held",
      "-162.00",
      /^ecb states 18\.00 of EUR\/JPY for 2026-03-20, and it is held, .* release EUR JPY takes it/,
    ],
    ["2026-03-20,EUR,JPY,200,ecb", "held", "-182.00", /^ecb states 18\.00 of .* and it is held/],
    ["2026-03-20,EUR,JPY,18,ecb", "held", null, /^ecb states 18\.00 of .* and it is held/],
    ["2026-03-03,GBP,SGD,17,", "held", null, /^document \w{64} states 17, and it is held/],
    ["2026-03-02,GBP,SEK,12.50,import", "unchanged", null, /^$/],
    [
      "2026-03-03,gbp,sek,125,",
      "withdrawn",
      null,
      /^the operator dropped it where it was held: document [0-9a-f]{64}$/,
    ],
    ["2026-03-03,GBP,PLN,50,", "unchanged", null, /^$/],
    ["2026-03-02,GBP,HUF,45,", "withdrawn", "405", /^the operator dropped it where it was held/],
    ["2026-03-02,GBP,NOK,13.1,", "withdrawn", null, /^the operator deleted it at /],
    ["2026-02-27,GBP,NOK,13.1,", "unchanged", null, /^$/],
    ["2026-03-02,GBP,DKK,8.5,", "unchanged", null, /^$/],
    ["2026-03-02,GBP,CHF,1.1,", "unchanged", null, /^$/],
    ["2026-03-02,GBP,CHF,1.2,", "unchanged", null, /^$/],
    ["2026-02-30,GBP,CHF,1.2,", "not checked", null, /^date "2026-02-30": there is no such day$/],
    ["2026-03-02,GBP,CHF,0,", "not checked", null, /^rate "0" must be above zero, such as /],
    ["2026-03-02,GBP,CHF,-1,", "not checked", null, /^rate "-1" must be above zero/],
    ["2026-03-02,GBP,XXX,1.2,", "not checked", null, /^no source owns GBP\/XXX: name one in /],
    ["2026-03-02,GBP,CHF", "not checked", null, /^the line has 3 cells, the header 5$/],
    ['2026-03-02,GBP,CHF,"1.2,', "not checked", null, /^broken quoting: /],
  ];
const BOOKED = HEADER + USES.map(([line]) => line).join("\n");

test("each line has what became of its figure, with both revisions and documents", async () => {
  const { exitCode, stdout, stderr } = await recheck(BOOKED, "--json");

  assert.deepEqual([exitCode, stderr], [1, ""]);
  const rows: readonly Readonly<Record<string, unknown>>[] = JSON.parse(stdout);
  assert.equal(rows.length, USES.length);
  for (const [index, [line, outcome, by, reason]] of USES.entries()) {
    const row = rows[index];
    assert.deepEqual([row?.line, row?.outcome, row?.difference], [index + 2, outcome, by], line);
    assert.match(String(row?.reason), reason, line);
  }
  const [used, now] = [rows[1]?.used, rows[1]?.now] as readonly Readonly<Record<string, string>>[];
  assert.deepEqual([used?.rate, used?.revision, now?.rate], ["1.1606", 1, "1.1599"]);
  assert.deepEqual([now?.revision, now?.stored_at], [2, AMENDED_AT]);
  assert.match(`${used?.document} ${now?.document}`, /^([0-9a-f]{64}) (?!\1)[0-9a-f]{64}$/);
});

test("text has a sentence for each figure that is not unchanged, and a summary", async () => {
  const { exitCode, stdout } = await recheck(BOOKED);

  assert.equal(exitCode, 1);
  const lines = stdout.trimEnd().split("\n");
  const summary =
    "9 unchanged, 1 amended, 4 held, 4 contradicted, 3 withdrawn, 3 differs, 2 not stored";
  assert.equal(lines.pop(), `32 figures: ${summary}, 6 not checked`);
  assert.equal(lines.length, 23);
  const used = "line 3: EUR/USD 1.1606 for 2026-03-03 from ecb: amended: 1.1599 now, ";
  assert.ok((lines[0] ?? "").startsWith(used), lines[0] ?? "");
  assert.match(lines[17] ?? "", /^line 28: not checked: date "2026-02-30"/);
  const unchanged = await recheck(`${HEADER}${USES[0]?.[0]}`);
  assert.deepEqual([unchanged.exitCode, unchanged.stdout], [0, "1 figure: 1 unchanged\n"]);
});

const GERMAN = "\uFEFFKurs;Text;Datum;Base;Quote\r\n1,1698;=1+1;2.3.2026;EUR;USD\r\n";
const RENAMED = "--columns date=Datum,rate=Kurs";

/** A file, options, the exit code, and the output. */
const FILES: readonly (readonly [text: string, options: string, code: number, printed: RegExp])[] =
  [
    [GERMAN.replace("EUR", "GBP").replace("USD", '"SEK"'), RENAMED, 1, /: differs: 12\.5 now/],
    [
      GERMAN.replace(/1,1698(.*)USD/, "12,5$1SEK").replace("EUR", "GBP"),
      RENAMED,
      0,
      /1 unchanged$/,
    ],
    [GERMAN.replace("EUR;USD", "EUR;USD;"), RENAMED, 1, /: not checked: the line has 6 cells, /],
    ["02.03.2026;EUR;USD;1,1698;ecb", "", 0, /^1 figure: 1 unchanged$/],
    ["2026-03-20,EUR,JPY,180,ecb,buying", "", 1, /: differs: 18\.00 now/],
    ["2026-03-02,GBP,SEK,12.5,import,buying", "", 1, /; exactly this figure is in import middle$/m],
    ["2026-03-02,GBP,SEK,12.5,import,mid", "", 1, /: kind "mid" must be one of middle, buying/],
    ["", "", 1, /^kurs: FILE is empty: each must be DATE,BASE,QUOTE,RATE, or have the columns /],
    [HEADER, "", 1, /^kurs: FILE has no line: each must be DATE,BASE,QUOTE,RATE, or /],
    ["a,b\n1,2", "", 1, /^kurs: the first line must name .* date, base, quote and rate: rename/],
    ["date,base,quote\n2026-03-02,EUR,USD", "", 1, /^kurs: the first line must name .* and rate: /],
    [GERMAN, "--columns rate=Preis", 1, /^kurs: the first line has no column "Preis": check /],
    [GERMAN, "--columns amount=Preis", 2, /^kurs: --columns "amount=Preis": must be NAME=HEADER /],
  ];

test("a list is one as spreadsheets, or kurs rates for, write it, and others are one sentence", async () => {
  for (const [text, options, code, printed] of FILES) {
    const { stdout, stderr, exitCode } = await recheck(text, options);
    assert.match((stdout + stderr).trimEnd(), printed, text);
    assert.equal(exitCode, code, text);
  }
  for (const [path, reason] of [
    [store.directory, "it is a directory"],
    ["none.csv", "no such file"],
  ] as const) {
    assert.equal(await store.failure(`rates recheck ${path}`), `cannot read ${path}: ${reason}`);
  }
  const invoices = join(store.directory, "invoices.csv");
  const lines = ["date,currency", "2026-03-03,USD", "2026-03-08,CHF", "2026-03-08,EUR"];
  writeFileSync(invoices, lines.join("\n"));
  for (const format of ["csv", "excel"]) {
    const options = `--as eu-vat-before-16 --format ${format}`;
    const input = await store.output(`rates for --file ${invoices} ${options}`);
    const { exitCode, stdout } = await store.run("rates recheck -", { input });
    assert.deepEqual([exitCode, stdout], [0, "3 figures: 3 unchanged\n"], format);
  }
});

test("a revision that HISTORY_DAYS removed differs, and a figure that it removed is not stored", async () => {
  const removed = store.store.history.removeBefore("2026-10-02T00:00:00.000Z");
  for await (const step of removed) assert.equal(step, undefined);

  const { stdout } = await recheck(BOOKED);

  assert.match(stdout, /^line 2: .*: not stored: no figure is stored for this date; ecb has none /);
  assert.match(stdout, /^line 3: .*: differs: 1\.1599 now, a difference of -0\.0007: revision 2/m);
});
