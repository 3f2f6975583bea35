import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { readConfig } from "../../../../src/app/config.ts";
import { sourceNames } from "../../../../src/rates/sources/fetching/registry.ts";
import { kursUnchecked } from "../../../support/command-line.ts";
import { body, ecbDay, playPublisher } from "../../../support/fake-publisher.ts";
import { temporaryDirectory } from "../../../support/process.ts";
import { newRateCli } from "../../../support/rate-cli.ts";
import { startService, TestClock } from "../../../support/service.ts";

const pagePath = join(import.meta.dirname, "../../../../docs/operating/own-publishers.md");
const page = readFileSync(pagePath, "utf8");

type Entry = Readonly<Record<string, unknown>>;

/** The blocks of a language in the document. */
const blocksOf = (language: string) =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text = ""]) =>
    name === language ? [text] : [],
  );
const [boeCsv = "", deskCsv = ""] = blocksOf("csv");
const [boe = {}, desk = {}, moved = {}] = blocksOf("json").map(
  (text) => (JSON.parse(text) as { readonly sources: readonly Entry[] }).sources[0],
);
const json = { ...boe, key: "own-json", format: "json", pairs: { "/mid": "GBP/USD" }, date: "/on" };
const timeless = { ...boe, publishedAt: undefined, date: undefined, dateFormat: undefined };

const TOKEN = "sesame-42";

/** A store, a server that plays the publisher, and the command line with a SOURCES_FILE. */
async function install(...entries: readonly Entry[]) {
  await using starting = new AsyncDisposableStack();
  const publisher = starting.use(await playPublisher(body("")));
  const { path } = starting.use(await temporaryDirectory());
  const dataDirectory = join(path, "data");
  const file = (name: string) => join(path, name);
  const clock = new TestClock("2026-03-19T10:00:00.000Z");
  const { origin } = new URL(publisher.address);
  const write = (...all: readonly Entry[]) => {
    const local = all.map((entry) => {
      const addresses = (entry.addresses as readonly string[]).map((address) =>
        address.replace(/^https:\/\/[^/]+/, origin),
      );
      return { ...entry, addresses };
    });
    return writeFile(file("sources.json"), JSON.stringify({ sources: local }));
  };
  await write(...entries);
  const keys = entries.map(({ key }) => key);
  const env = { SOURCES_FILE: file("sources.json"), RATE_SOURCES: keys.join() };
  const run = (command: string, others: Readonly<Record<string, string>> = {}) =>
    kursUnchecked(command.replaceAll("@", `${path}/`).split(" "), {
      ...{ dataDirectory, clock, env: { ...env, ...others } },
    });
  await run("migrate");
  const started = starting.move();
  return {
    ...{ publisher, dataDirectory, clock, env, write, run },
    /** Fetches what the publisher then sends. @returns all output. */
    async fetch(document: string, others: Readonly<Record<string, string>> = {}) {
      publisher.behave(body(document, { date: new Date(clock.nowMs()).toUTCString() }));
      const { stdout, stderr } = await run("rates fetch", others);
      return stdout + stderr;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

test("the Bank of England is added by a file alone: fetched, listed, traced, verified and proven", async () => {
  await using own = await install(boe);

  const fetched = await own.fetch(boeCsv);

  const counts = "stored 3, held 0, skipped 0, rejected 0, for its series alone 3";
  assert.equal(fetched, `own-boe: ${counts}\n`);
  assert.match(own.publisher.bodies[0] ?? "", /Datefrom=12\/Mar\/2026&Dateto=19\/Mar\/2026&/);
  const traced = await own.run("rates trace GBP USD");
  for (const part of [
    "GBP/USD 1.3323",
    "own-boe: Bank of England (GB)",
    String(boe.terms),
    "18 Mar 2026,1.3323,1.1572,212.4739",
  ]) {
    assert.ok(traced.stdout.includes(part), `${part} in ${traced.stdout}`);
  }
  const verified = await own.run("rates verify");
  assert.match(verified.stdout, /^verified 3 figures in 1 document; series: 6 figures verified$/m);
  assert.match((await own.run("rates status")).stdout, /^own-boe +fresh +3 /m);
  assert.match((await own.run("rates fetch --help")).stdout, /\bown-boe\b/);

  const asked = "GBP USD 2026-03-18 --source own-boe --rule on";
  const made = await own.run(`rates evidence ${asked} --out @e.json`);
  assert.equal(made.exitCode, 0, made.stderr);
  const here = (await own.run("rates evidence verify @e.json")).stdout;
  assert.match(here, /^holds +the parser of own-boe reads 1 GBP = 1\.3323 USD \(middle\) for /m);
  assert.match(here, /^holds +own-boe is Bank of England, with these terms$/m);
  assert.doesNotMatch(here, /FAILS/);
  const elsewhere = await own.run("rates evidence verify @e.json", { SOURCES_FILE: "" });
  assert.equal(elsewhere.exitCode, 3);
  const unknown = /^not proven +what own-boe states: this Kurs cannot .* its SOURCES_FILE /m;
  assert.match(elsewhere.stdout, unknown);

  // Whatever else is invalid, it is not unknown.
  for (const command of ["fetch own-boe", "backfill own-boe"]) {
    const { exitCode, stderr } = await own.run(`rates ${command}`, { RATE_MAX_JUMP: "x" });
    assert.match(stderr, /^kurs: Invalid configuration:\n {2}RATE_MAX_JUMP/, command);
    assert.equal(exitCode, 2);
  }

  const [{ addresses: before }] = JSON.parse(readFileSync(own.env.SOURCES_FILE, "utf8")).sources;
  const moved = { ...boe, addresses: ["https://new.example.org/rates.csv"] };
  await own.write(moved);
  const requested = /^not proven +whether .* is own-boe's: this Kurs does not request it$/m;
  assert.match((await own.run("rates evidence verify @e.json")).stdout, requested);
  await own.write({ ...moved, formerAddresses: before });
  assert.equal((await own.run("rates evidence verify @e.json")).stdout, here);
});

test("a server serves an added publisher, names it in headers and lists it", async () => {
  await using own = await install({ ...boe, cron: "30 9 * * 1-5", leadDays: 3 });
  await own.fetch(boeCsv);
  const { publishers, rateSources } = readConfig(sourceNames, own.env);
  const { dataDirectory, clock } = own;
  await using service = await startService({
    ...{ dataDirectory, clock, config: { publishers, rateSources } },
  });
  const { read } = await service.newCustomer();

  const { status, body: rate, headers } = await read("GBP/USD");

  const asOf = "2026-03-18T16:00:00.000000000Z";
  assert.deepEqual([status, rate.rate, rate.as_of], [200, "1.3323", asOf]);
  assert.equal(headers["rate-source"], 'own-boe;name="Bank of England"');
  assert.equal(headers["rate-next"], "2026-03-20T09:30:00Z");
  const { text } = await service.get("/coverage.json");
  const [listed] = JSON.parse(text).publishers;
  assert.deepEqual([listed.name, listed.terms, listed.country], [boe.name, boe.terms, "GB"]);
});

test("a desk's CSV is added by a file alone: its kind, units and decimal comma, and its token nowhere", async () => {
  await using own = await install(desk);

  const missing = await own.fetch(deskCsv);
  const fetched = await own.fetch(deskCsv, { SOURCE_TOKENS: `own-desk=${TOKEN}` });

  assert.match(missing, /^own-desk: failed: it wants a token: .*, and set SOURCE_TOKENS\n$/);
  assert.equal(fetched, "own-desk: stored 2, held 0, skipped 0, rejected 0\n");
  assert.deepEqual(
    own.publisher.requests.map(({ authorization }) => authorization),
    [`Bearer ${TOKEN}`],
  );
  const { stdout } = await own.run("rates history USD EUR --source own-desk --json");
  const [figure] = JSON.parse(stdout);
  assert.deepEqual([figure.rate, figure.kind, figure.date], ["0.869150", "selling", "2026-03-18"]);
  const traced = await own.run("rates trace JPY EUR");
  assert.match(traced.stdout, /JPY;EUR;0,5472;2026-03-18T09:30:00\+01:00/);
  assert.match((await own.run("rates verify")).stdout, /^verified 2 figures in 1 document; /m);
  assert.doesNotMatch(traced.stdout + (await own.run("settings")).stdout, new RegExp(TOKEN));
  for (const name of readdirSync(own.dataDirectory)) {
    assert.ok(!readFileSync(join(own.dataDirectory, name)).includes(TOKEN), name);
  }
});

suite("a document that is not as its mapping says fails the source with a sentence", () => {
  const changed = "the layout has changed: ";
  const none = "no rates in the response";
  const csv = "DATE,XUDLUSS,XUDLERS,XUDLJYS\n";
  const cases: readonly (readonly [entry: Entry, document: string, failure: string])[] = [
    [boe, "DATE,XUDLUSS\n18 Mar 2026,1.3323\n", `${changed}no column XUDLERS, XUDLJYS`],
    [boe, "<!doctype html><html>", "it is an HTML page, not the publisher's document"],
    [boe, csv, none],
    [boe, `${csv}18 Mar 2026,,,\n`, none],
    [boe, `${csv}18 Mar 2026,1.3323,1.1572,21`, "the body is cut short: its last line has no end"],
    [boe, `${csv}2026-03-18,1.3,1.1,2\n`, `${none}: "GBP/USD" has no date such as 2026-03-13`],
    [json, "[]", none],
    [json, "7", `${changed}there are no rows at ""`],
    [json, '{"on": "2026-03-18"}', `${none}: "GBP/USD" has no rate`],
    [{ ...json, rows: "/list" }, "{}", `${changed}there are no rows at "/list"`],
  ];
  for (const [entry, document, failure] of cases) {
    test(failure, async () => {
      await using own = await install(entry);
      const sentence = `failed: the response cannot be read: ${failure}`;
      assert.equal(await own.fetch(document), `${entry.key}: ${sentence}\n`);
      assert.doesNotMatch((await own.run("rates list")).stdout, /GBP/);
    });
  }
});

test("of a JSON document, rates keep their digits, and an invalid row is rejected alone", async () => {
  const entry = {
    ...{ ...timeless, format: "json", pairs: undefined, rows: "/a~1b/0" },
    ...{ base: "/from", quote: "=EUR", rate: "/mid", units: "/per", asOf: "#/at" },
  };
  await using own = await install(entry);
  const rows = [
    '{"from": "USD ", "mid": 0.86910, "per": 1}',
    '{"from": "JPY", "mid": "0.5472", "per": 100}',
    '{"from": "NOK", "mid": 1.5e-1, "per": 3}',
    '{"from": "SEK", "mid": "0,9", "per": 1}',
    '{"from": "DKK", "per": 1}',
  ];

  const fetched = await own.fetch(`{"at": "2026-03-18T08:30:00Z", "a/b": [[${rows}]]}`);

  assert.equal(
    fetched,
    `own-boe: stored 2, held 0, skipped 0, rejected 3
own-boe: "NOK/EUR" is not for a power of ten of units
own-boe: "SEK/EUR": "0,9" is not a decimal number above zero
own-boe: "DKK/EUR" has no rate
`,
  );
  const { stdout } = await own.run("rates list");
  assert.match(stdout, /USD\/EUR +0\.86910 /);
  assert.match(stdout, /JPY\/EUR +0\.005472 /);
  assert.doesNotMatch(stdout, /EUR\/USD/);
});

test("a built-in publisher moves to the address in the file, and its earlier documents still verify", async () => {
  const dated = { key: "banxico", addresses: ["https://b.example.org/{today-1 yyyymmdd}"] };
  await using mexican = await install(dated);
  await mexican.fetch("", { SOURCE_TOKENS: `banxico=${TOKEN}` });
  assert.match(mexican.publisher.bodies[0] ?? "", /^GET \/20260318 /);
  assert.equal(mexican.publisher.requests[0]?.["bmx-token"], TOKEN);

  await using own = await install(moved);
  const day = ecbDay("2026-03-18", { USD: "1.1500" });
  assert.equal(await own.fetch(day), "ecb: stored 1, held 0, skipped 0, rejected 0\n");
  assert.match(own.publisher.bodies[0] ?? "", /^GET \/eurofxref-daily\.xml /);
  assert.match((await own.run("rates trace EUR USD")).stdout, /ecb: European Central Bank \(EU\)/);
  await own.run("rates evidence EUR USD 2026-03-18 --source ecb --rule on --out @e.json");
  const elsewhere = await own.run("rates evidence verify @e.json", { SOURCES_FILE: "" });
  assert.match(elsewhere.stdout, /^FAILS +http:.* is no address of ecb$/m);

  await using before = await newRateCli(["ecb"]);
  await before.refresh("ecb", [ecbDay("2026-03-30", { USD: "1.1500" })]);
  const env = { SOURCES_FILE: own.env.SOURCES_FILE };
  const file = join(before.directory, "e.json");
  await before.run(`rates evidence EUR USD 2026-03-30 --source ecb --rule on --out ${file}`);
  const { stdout } = await before.run(`rates evidence verify ${file}`, { env });
  assert.match(stdout, /^holds +the parser of ecb reads 1 EUR = 1\.1500 USD /m);
  assert.doesNotMatch(stdout, /FAILS|no address of ecb|does not request it/);
});

test("without RATE_SOURCES, the publishers of the file are fetched after those on by default", async () => {
  await using own = await install(boe, desk, moved);
  const { rateSources } = readConfig(sourceNames, { SOURCES_FILE: own.env.SOURCES_FILE });
  assert.deepEqual(rateSources, [...sourceNames.onByDefault, "own-boe", "own-desk"]);
});

suite("a SOURCES_FILE that cannot be used stops every command with one sentence", () => {
  const polled = { ...timeless, cron: undefined, timeZone: undefined, leadDays: undefined };
  const row = { pairs: undefined, base: "=GBP", quote: "=USD" };
  const at = (...addresses: readonly string[]) => ({ addresses });
  const listed = "addresses must be a list with one or more at https, or at http on this machine";
  /** What of the entry of the Bank of England changes, and the rule that this breaks. */
  const changes: readonly (readonly [changed: Entry, rule: string])[] = [
    [{ adress: "x" }, '"adress" is none of its members key, name, country, terms, termsUrl, '],
    [{ key: "ecb" }, '"name" is none of its members key, addresses, as one that is built in'],
    [{ key: "Desk" }, 'key must be 2 to 32 of a-z, 0-9 and -, not import, not "Desk"'],
    [{ key: "import" }, "key must be 2 to 32 of a-z, 0-9 and -, not import"],
    [{ terms: undefined }, "terms must be a text in one line"],
    [{ cron: "*/5 * * * *" }, 'cron must be a time of day in five fields such as "30 16 * * 1-5"'],
    [{ cron: "0 9 31 2 *" }, "cron must be a time of day in five fields"],
    [{ cron: "0 9 * * 5-1" }, "cron must be a time of day in five fields"],
    [{ timeZone: "Europe/Londn" }, "timeZone must be a time zone such as Europe/London, not "],
    [{ timeZone: "+01:00" }, "timeZone must be a time zone such as Europe/London, not "],
    [{ leadDays: 8 }, "leadDays must be a whole number from 1 to 7"],
    [{ publishedAt: "24:00" }, 'publishedAt must be a time of day such as "16:00", not "24:00"'],
    [{ format: "json", rows: "list" }, 'rows must be a JSON pointer such as "/mid", '],
    [{ ...json, date: "/a~2" }, 'date must be a JSON pointer such as "/mid", or "#/date"'],
    [{ ...json, pairs: boe.pairs }, "pairs must be an object with a place for each pair"],
    [{ format: "xml" }, 'format must be "csv" or "json", not "xml"'],
    [{ charset: "latin-99" }, "charset must be an encoding such as windows-1252"],
    [row, "rate must be a column"],
    // These would reject every figure, or request another date than is meant.
    [{ ...row, rate: "=1.3343" }, 'rate must be a column, not "=1.3343"'],
    [
      { ...row, rate: "R", base: "=Pound sterling" },
      'base must be a column, or a constant such as "=EUR"',
    ],
    [{ ...row, rate: "R", quote: "=GBP" }, "quote must be a column, or a constant such as "],
    [
      { ...row, rate: "R", base: "C", quote: "C" },
      "quote must be a column, or a constant such as ",
    ],
    [{ units: "=50" }, 'units must be a column, or a constant such as "=100", not "=50"'],
    [{ date: "=2026-03-18" }, 'date must be a column, not "=2026-03-18"'],
    [{ ...timeless, asOf: "=now" }, 'asOf must be a column, not "=now"'],
    [at("https://desk.example.org/{today dd.mm.yy}"), listed],
    [at("https://desk.example.org/{today YYYYMMDD}"), listed],
    ...[{ XUDLUSS: "GBPUSD" }, {}, { X: "GBP/GBP" }, { "=1.3": "GBP/USD" }].map(
      (pairs) => [{ pairs }, "pairs must be an object with a place for each pair"] as const,
    ),
    [{ pairs: { A: "GBP/USD", B: "GBP/USD" } }, "pairs must be an object with a place for each "],
    [{ kind: "mid" }, 'kind must be "middle" or "buying" or "selling", not "mid"'],
    [at("http://desk.example.org/?t=sesame-42"), listed],
    [at("https://a:sesame-42@desk.example.org"), listed],
    [at("https://desk.example.org/{date}"), listed],
    [at(), listed],
    [{ tokenHeader: `X-Key: ${TOKEN}` }, "tokenHeader must be a header such as "],
    [{ termsUrl: "https://a.example.org/>;" }, "termsUrl must be an address such as https://"],
    [{ ...polled, everySeconds: 60, date: "DATE" }, '"date" is none of its members key, '],
    [{ ...polled, everySeconds: 5, asOf: "DATE" }, "everySeconds must be a whole number from 10"],
  ];
  const of = (...entries: readonly Entry[]) => JSON.stringify({ sources: entries });
  const moves = (key: string) =>
    of({ key, ...at("https://a.example.org", "https://b.example.org") });
  const files: readonly (readonly [content: string, problem: string])[] = [
    ["{sources: []}", "is not JSON (line 1 column 2)"],
    [TOKEN, "is not JSON"],
    ["[]", 'is no object with "sources", a list, and nothing else'],
    ['{"sources": [], "sources": []}', 'has "sources" twice in one object'],
    [of(boe, boe), "entry 2 (own-boe): another entry has its key"],
    [moves("ecb"), "entry 1 (ecb): addresses must be a list with 1 at https, "],
    [moves("bmf"), "entry 1 (bmf): addresses must be a list with 0 at https, "],
    ...changes.map(([changed, rule]) => {
      const entry = { ...boe, ...changed };
      return [of(entry), `entry 1 (${entry.key}): ${rule}`] as const;
    }),
  ];
  for (const [content, problem] of files) {
    test(`${problem} (${content.slice(-60)})`, async () => {
      await using directory = await temporaryDirectory();
      const file = join(directory.path, "sources.json");
      await writeFile(file, content);
      const env = { SOURCES_FILE: file, RATE_SOURCES: "own-boe" };
      const { exitCode, stdout, stderr } = await kursUnchecked(["rates", "status"], { env });
      assert.deepEqual([exitCode, stdout], [2, ""], stderr);
      const [heading, sentence = "", ...more] = stderr.trimEnd().split("\n");
      assert.deepEqual([heading, more], ["kurs: Invalid configuration:", []], stderr);
      const of = problem.startsWith("entry ")
        ? `${file}, `
        : `must be a file with sources as JSON, but ${file} `;
      assert.ok(sentence.startsWith(`  SOURCES_FILE: ${of}${problem}`), sentence);
      assert.doesNotMatch(stderr, /sesame/);
    });
  }

  for (const [path, problem] of [
    ["/nowhere/sources.json", "cannot be read: no such file"],
    [import.meta.dirname, "is not a file"],
  ] as const) {
    test(`it ${problem}`, async () => {
      const env = { SOURCES_FILE: path };
      const { exitCode, stderr } = await kursUnchecked(["rates", "status"], { env });
      const what = `SOURCES_FILE: must be a file with sources as JSON, but ${path} ${problem}`;
      assert.deepEqual([exitCode, stderr], [2, `kurs: Invalid configuration:\n  ${what}\n`]);
      assert.equal((await kursUnchecked(["rates", "--help"], { env })).exitCode, 0);
    });
  }
});
