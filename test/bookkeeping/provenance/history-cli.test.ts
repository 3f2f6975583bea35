import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { newRateCli, type RateCli } from "../../support/rate-cli.ts";

const HEADER = "base,quote,rate,as_of\n";
const DAYS = ["2020-01-02", "2020-01-03", "2020-01-06"];
const asOf = (day = "") => `${day}T15:00:00Z`;
const LINES = DAYS.map((day, index) => `EUR,USD,1.1${index},${asOf(day)}\n`).join("");
const TEXT = HEADER + LINES;

/** A command line with its own database, into which a file was imported. */
async function newCli(lines = LINES) {
  const cli = await newRateCli([]);
  const file = await cli.import(lines.trimEnd());
  // A restore needs the database for itself.
  await cli.store[Symbol.asyncDispose]();
  return { ...cli, file };
}

interface AuditEvent {
  readonly at: string;
  readonly action: string;
  readonly details: { readonly pair?: string };
}

async function eventsOf({ output }: Pick<RateCli, "output">): Promise<readonly AuditEvent[]> {
  return (await output("audit --json"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

suite("the history of rates", { concurrency: 4 }, () => {
  test("is a table in the order of acceptance, all of it or a range of as_of", async () => {
    await using cli = await newCli();

    const all = await cli.output("rates history eur USD");

    const hash = createHash("sha256").update(TEXT).digest("hex").slice(0, 12);
    const [heading, first, ...others] = all.trimEnd().split("\n");
    assert.match(heading ?? "", /^RATE {2}AS OF {17}SERVED FROM {15}SOURCE {2}DOCUMENT$/);
    const row = `^1\\.10 {2}2020-01-02T15:00:00Z {2}\\S+Z {2}import {2}${hash}$`;
    assert.match(first ?? "", new RegExp(row));
    assert.equal(others.length, 2);
    for (const [range, ...rates] of [
      ["--from 2020-01-03", "1.11", "1.12"],
      ["--to 2020-01-03", "1.10", "1.11"],
      ["--from 2020-01-03T15:00:00Z --to 2020-01-03T16:00:00+01:00", "1.11"],
      ["--from 2020-01-03T15:00:00.000000001Z --to 2020-01-05"],
    ]) {
      const text = await cli.output(`rates history EUR USD --json ${range}`);
      const found: readonly { rate: string }[] = JSON.parse(text);
      assert.deepEqual(
        found.map(({ rate }) => rate),
        rates,
      );
    }
  });

  test("without a rate in the range is no failure, and of an unknown pair one", async () => {
    await using cli = await newCli();
    const inRange = "rates history EUR USD --from 2021-01-01";
    const { exitCode, stdout, stderr } = await cli.run(inRange);
    const none = "No rate of EUR/USD has an as_of in this range.\n";
    assert.deepEqual([exitCode, stdout, stderr], [0, "", none]);
    assert.equal(await cli.output(`${inRange} --json`), "[]\n");
    const csv = await cli.output(`${inRange} --format csv`);
    assert.equal(csv, "base,quote,rate,as_of,source,stored_at,document\n");
    const message = "kurs: there is no history of USD/EUR: see kurs rates list\n";
    assert.equal(await cli.failure("rates history USD EUR"), message);
  });

  for (const format of ["csv", "ndjson"]) {
    test(`as ${format} is a file that an import stores again, digit by digit, also of several pages`, async () => {
      const lines = Array.from({ length: 450 }, (_, index) => {
        const time = new Date(Date.UTC(2020, 0) + index * 1000).toISOString();
        return `EUR,USD,1.${String(index).padStart(4, "0")}0,${time}\n`;
      });
      await using cli = await newCli(lines.join(""));
      await using copy = await newRateCli([]);
      const input = await cli.output(`rates history EUR USD --format ${format}`);

      const { stdout, stderr } = await copy.run("rates import -", { input });

      assert.deepEqual([stdout, stderr], ["stored 450, unchanged 0, held 0, rejected 0\n", ""]);
      const figuresOf = async ({ output }: Pick<RateCli, "output">) => {
        const rows = JSON.parse(await output("rates history EUR USD --json"));
        return rows.map(({ rate, as_of }: Record<string, string>) => `${rate} ${as_of}`);
      };
      const figures = await figuresOf(cli);
      assert.equal(figures.length, 450);
      assert.deepEqual(await figuresOf(copy), figures);
    });
  }
});

suite("what was served at a moment", { concurrency: 4 }, () => {
  test("is the rate and its time, a suspension, a deletion, or nothing yet", async () => {
    await using cli = await newCli();
    for (const command of ["suspend", "resume", "delete"]) {
      await cli.output(`rates ${command} EUR USD`);
    }
    const [{ stored_at: storedAt }] = JSON.parse(await cli.output("rates history EUR USD --json"));
    const events = await eventsOf(cli);
    const [suspendedAt, resumedAt, deletedAt] = ["suspended", "resumed", "deleted"].map(
      (action) => events.find((event) => event.action === `rate.${action}`)?.at,
    );

    const served = "1.12 as of 2020-01-06T15:00:00Z from import\n";
    assert.equal(
      await cli.output(`rates at EUR USD ${storedAt}`),
      `EUR/USD at ${storedAt}: ${served}served from ${storedAt} until ${suspendedAt}\n`,
    );
    assert.equal(
      (await cli.run(`rates at EUR USD ${suspendedAt}`)).stdout,
      `EUR/USD at ${suspendedAt}: 503, suspended from ${suspendedAt} until ${resumedAt}\n` +
        `stored then: ${served}`,
    );
    const deleted = await cli.output(`rates at EUR USD ${deletedAt} --json`);
    const { status, from, until, rate } = JSON.parse(deleted);
    assert.deepEqual([status, from, until, rate], ["deleted", deletedAt, null, "1.12"]);
    assert.equal(
      await cli.failure("rates at EUR USD 2020-01-06"),
      "kurs: EUR/USD was not stored yet at 2020-01-06T23:59:59.999Z: " +
        `the history of EUR/USD begins at ${storedAt}\n`,
    );
    await cli.failure("rates at USD EUR 2020-01-06");
    assert.match(await cli.failure("rates trace EUR USD"), /^kurs: EUR\/USD was deleted: /);
    assert.match(await cli.output("rates verify"), /; 3 imported figures /);
  });

  test("before the history of a shortened store is not known", async () => {
    await using cli = await newCli();
    const mac = `${cli.file}.mac`;
    await writeFile(mac, "base,quote,rate,as_of\rEUR,CHF,0.95,2020-01-06T15:00:00Z\r");
    await cli.output(`rates import ${mac}`);
    const ofMac = await cli.output(`rates trace EUR CHF --file ${mac}`);
    assert.match(ofMac, /^line {7}2\n(?:.*\n)* {2}EUR,CHF,0\.95,2020-01-06T15:00:00Z\n?$/m);

    cli.change("DELETE FROM observations WHERE sequence = 1");
    const removed = await cli.failure("rates at EUR USD 2020-01-06");
    assert.match(removed, /; what was served at 2020-01-06T\S+ was removed\n$/);
  });

  test("between a backup and its restore is not known, and a suspension since then survives", async () => {
    await using cli = await newCli();
    const backup = join(cli.directory, "backup.db");
    const timeOf = async (action: string, which: number) =>
      (await eventsOf(cli)).filter((one) => one.action === action).at(which)?.at ?? "";
    const at = async (moment: string) => (await cli.run(`rates at EUR USD ${moment}`)).stdout;
    await cli.output("rates suspend EUR USD");
    await cli.output("rates resume EUR USD");
    await cli.output(`backup ${backup}`);
    await cli.run("rates import -", { input: `${HEADER}EUR,USD,1.13,${asOf("2020-01-07")}\n` });
    await cli.output("rates suspend EUR USD");
    await cli.run("rates import -", { input: `${HEADER}EUR,ISK,144.20,${asOf("2020-01-02")}\n` });
    await cli.output("rates suspend EUR ISK");
    const resumedAt = await timeOf("rate.resumed", -1);
    const lostAt = await timeOf("rate.suspended", -2);

    const restored = await cli.output(`restore ${backup}`);

    assert.match(restored, /^1 pair suspended since then: still suspended$/m);
    const takenAt = /the backup of (\S+)/.exec(restored)?.[1] ?? "";
    const restoredAt = await timeOf("store.restored", -1);
    const stored = "1.12 as of 2020-01-06T15:00:00Z from import\n";
    assert.equal(
      await at(resumedAt),
      `EUR/USD at ${resumedAt}: ${stored}served from ${resumedAt} until ${takenAt}; ` +
        `the rest is not known: restored at ${restoredAt}\n`,
    );
    for (const moment of [takenAt, lostAt]) {
      const unknown =
        `kurs: what was served of EUR/USD at ${moment} is not known: ` +
        `a backup of ${takenAt} was restored at ${restoredAt}\n`;
      assert.equal(await cli.failure(`rates at EUR USD ${moment}`), unknown);
      assert.equal(await cli.failure(`rates trace EUR USD --at ${moment}`), unknown);
    }
    assert.equal(
      await at(restoredAt),
      `EUR/USD at ${restoredAt}: 503, suspended from ${restoredAt} until now\n` +
        `stored then: ${stored}`,
    );
    await cli.output("rates resume EUR USD");
    const againAt = await timeOf("rate.resumed", -1);
    assert.match(await at(againAt), /\nserved from \S+ until now\n$/);
    const traced = await cli.output(`rates trace EUR USD --at ${againAt}`);
    assert.match(traced, /^ {2}\S+Z {2}restored the backup of 20\S+ by /m);
    await cli.failure(`rates at EUR ISK ${lostAt}`);
    // The log has every event of the discarded timeline.
    const ofPair = (await eventsOf(cli)).filter(({ details }) => details.pair === "EUR/USD");
    const actions = ofPair.map(({ action }) => action.replace("rate.", "")).join(" ");
    assert.equal(actions, "suspended resumed suspended suspended resumed");
    assert.match(await cli.output("rates verify"), /; 3 imported figures /);
  });

  test("is known again once the replaced database is restored, which never had the restore", async () => {
    await using cli = await newCli();
    const backup = join(cli.directory, "backup.db");
    await cli.output(`backup ${backup}`);
    await cli.run("rates import -", { input: `${HEADER}EUR,USD,1.13,${asOf("2020-01-07")}\n` });
    const storedAt = JSON.parse(await cli.output("rates history EUR USD --json")).at(-1).stored_at;
    const replaced = /is kept: (\S+)/.exec(await cli.output(`restore ${backup}`))?.[1] ?? "";
    const between = new Date().toISOString();
    const copy = join(cli.directory, "copy.db");
    await rename(replaced, copy);

    assert.match(await cli.output(`restore ${copy}`), /^restored a copy, schema \d+, to \S+: 0 /);

    const moment = new Date(Date.parse(storedAt) - 1).toISOString();
    assert.match(await cli.output(`rates at EUR USD ${moment}`), /: 1\.12 as of /);
    const gap = await cli.failure(`rates at EUR USD ${between}`);
    assert.match(gap, /is not known: a backup of \S+ was restored at /);
    // Of several restores in the pair's own history the last one counts.
    const later = join(cli.directory, "later.db");
    await cli.output(`backup ${later}`);
    await cli.output(`restore ${later}`);
    const restores = (await eventsOf(cli)).filter(({ action }) => action === "store.restored");
    const lastAt = restores.at(-1)?.at ?? "";
    const since = await cli.output(`rates at EUR USD ${lastAt}`);
    assert.ok(since.endsWith(`\nserved from ${lastAt} until now\n`), since);
  });
});

suite("an imported figure", { concurrency: 4 }, () => {
  test("is traced to the line of the file, which is shown if the file is the imported one", async () => {
    await using cli = await newCli();
    const hash = createHash("sha256").update(TEXT).digest("hex");

    const traced = await cli.output("rates trace EUR USD");
    assert.match(traced, /^document {3}rates\.csv$/m);
    assert.ok(traced.includes(`\nsha-256    ${hash}\n`), traced);
    assert.match(traced, /^line {7}4\n.*the file is not stored: pass it to kurs rates trace/m);

    const shown = await cli.output(`rates trace EUR USD --file ${cli.file}`);
    assert.match(shown, /\n {2}EUR,USD,1\.12,2020-01-06T15:00:00Z\n?$/);
    const json = JSON.parse(await cli.output(`rates trace EUR USD --json --file ${cli.file}`));
    assert.equal(json.file_line, "EUR,USD,1.12,2020-01-06T15:00:00Z");
    const { origin, publisher } = json;
    assert.deepEqual([origin.kind, origin.sha256, publisher], ["imported", hash, null]);

    await writeFile(cli.file, TEXT.replace("1.12", "1.21"));
    const other = await cli.failure(`rates trace EUR USD --file ${cli.file}`);
    assert.match(other, new RegExp(`is not the imported file: .*${hash}\n$`));
    const missing = await cli.failure(`rates trace EUR USD --file ${cli.file}.gone`);
    assert.match(missing, /^kurs: cannot read .*: no such file\n$/);
    const verified =
      /; 3 imported figures come from files that are not stored; series: 0 .*, 3 imported\n$/;
    assert.match(await cli.output("rates verify"), verified);
  });

  test("that its line does not state, or whose line does not exist, is a failure", async () => {
    await using cli = await newCli();
    const traced = async () => {
      const text = await cli.run(`rates trace EUR USD --file ${cli.file}`);
      const json = await cli.run(`rates trace EUR USD --json --file ${cli.file}`);
      const { file_states_figure: states, file_line: line } = JSON.parse(json.stdout);
      return { codes: [text.exitCode, json.exitCode], text: text.stdout, states, line };
    };
    const right = await traced();
    assert.deepEqual([right.codes, right.states], [[0, 0], true]);
    assert.doesNotMatch(right.text, /does not state/);

    const last = "sequence = (SELECT max(sequence) FROM observations)";
    for (const [change, line] of [
      ["rate = '1.21'", "EUR,USD,1.12,2020-01-06T15:00:00Z"],
      ["rate = '1.12', line = 3", "EUR,USD,1.11,2020-01-03T15:00:00Z"],
      ["line = 1", "base,quote,rate,as_of"],
      ["line = 99", ""],
    ] as const) {
      cli.change(`UPDATE observations SET ${change} WHERE ${last}`);
      const wrong = await traced();
      assert.deepEqual([wrong.codes, wrong.states, wrong.line], [[1, 1], false, line], change);
      assert.match(wrong.text, /\nthe line does not state this figure\n$/);
    }
  });

  test("whose import was interrupted has no SHA-256 to compare with until it is imported again", async () => {
    await using cli = await newCli();
    cli.change("UPDATE publication_documents SET hash = NULL, bytes = NULL");
    assert.match(await cli.output("rates trace EUR USD"), /^sha-256 {4}not known: /m);
    const unknown = await cli.failure(`rates trace EUR USD --file ${cli.file}`);
    assert.match(unknown, /its SHA-256 is not known: import the whole file again\n$/);

    assert.match(await cli.output(`rates import ${cli.file}`), /^stored 0, unchanged 3/);
    for (const at of ["", "--at 2020-01-03 --source import "]) {
      const traced = await cli.output(`rates trace EUR USD ${at}--file ${cli.file}`);
      assert.match(traced, /has this SHA-/);
    }
  });
});

test("a figure that was deleted and imported again has the events since its own storing only", async () => {
  await using cli = await newCli();
  const storyOf = async (at = ""): Promise<string> => {
    const { story } = JSON.parse(await cli.output(`rates trace EUR USD --json${at}`));
    return story.map(({ action }: { action: string }) => action.replace("rate.", "")).join(" ");
  };
  const [, , first] = JSON.parse(await cli.output("rates history EUR USD --json"));
  for (const command of ["suspend", "resume", "delete"]) {
    await cli.output(`rates ${command} EUR USD`);
  }
  await cli.output(`rates import ${cli.file}`);
  await cli.output("rates suspend EUR USD");
  assert.equal(await storyOf(), "suspended");
  const all = "suspended resumed deleted stored stored stored suspended";
  assert.equal(await storyOf(` --at ${first.stored_at}`), all);

  const input = `${HEADER}EUR,USD,99,${asOf("2020-01-07")}\n`;
  await cli.run("rates import -", { input });
  await cli.output("rates release EUR USD");
  assert.equal(await storyOf(), "held released");
  await cli.run("rates delete EUR USD");
  assert.equal((await cli.run("rates import -", { input })).exitCode, 0);
  assert.equal(await storyOf(), "");
  assert.match(await cli.output("rates trace EUR USD"), /^document {3}stdin$/m);
  assert.equal(JSON.parse(await cli.output("rates trace EUR USD --json")).origin.name, "stdin");
});

suite("a figure that contradicts its document", { concurrency: 4 }, () => {
  test("is traced with exit code 1, as is one without its publication", async () => {
    await using cli = await newCli();
    const hash = "a".repeat(64);
    cli.change(`UPDATE publications SET source = 'ecb';
      UPDATE publication_documents SET hash = '${hash}'`);
    const missing = await cli.run("rates trace EUR USD");
    assert.equal(missing.exitCode, 1);
    assert.match(missing.stdout, /\nthe document cannot be read: it is missing; see .* verify\n$/);

    cli.change(`INSERT INTO documents VALUES ('${hash}', x'00')`);
    const damaged = await cli.run("rates trace EUR USD --json");
    assert.equal(damaged.exitCode, 1);
    assert.match(JSON.parse(damaged.stdout).origin.problem, /cannot be decompressed/);

    cli.change("PRAGMA foreign_keys = OFF; DELETE FROM publications");
    const orphan = await cli.run("rates trace EUR USD");
    assert.equal(orphan.exitCode, 1);
    assert.match(orphan.stdout, /^document {3}its record is missing; see kurs rates verify$/m);
    const json = await cli.run("rates trace EUR USD --json");
    assert.equal(json.exitCode, 1);
    assert.equal(JSON.parse(json.stdout).origin.kind, "missing");
  });
});

suite("a verification", { concurrency: 4 }, () => {
  test("of a changed served rate exits with 1 and names it, as text and as JSON", async () => {
    await using cli = await newCli();
    cli.change("UPDATE rates SET rate = '1.21'");

    const { exitCode, stdout } = await cli.run("rates verify");

    assert.equal(exitCode, 1);
    assert.match(
      stdout,
      /^EUR\/USD is served at number 3, 1\.21 .*; its history is last number 3, 1\.12 as of .*\n/,
    );
    assert.match(stdout, /; 1 difference\n$/);
    const json = await cli.run("rates verify --json");
    assert.equal(json.exitCode, 1);
    const { differences } = JSON.parse(json.stdout);
    assert.deepEqual(
      [differences.length, differences[0].kind, differences[0].rate, differences[0].last.rate],
      [1, "served", "1.21", "1.12"],
    );
  });
});
