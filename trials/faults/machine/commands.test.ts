import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { playArchives } from "../../../test/rates/backfill/played.ts";
import { type Ended, kurs, temporaryDirectory } from "../../../test/support/process.ts";
import { MOUNT, mayMount, runThrough } from "./faults.ts";

const LINES = 20_000;

/** A file of more rates than the small disks of these tests can hold. */
const RATES = `base,quote,rate,as_of\n${Array.from({ length: LINES }, (_, index) => {
  const time = new Date(Date.UTC(2000, 0, 3) + index * 3_600_000).toISOString();
  return `EUR,USD,1.${1000 + index},${time}\n`;
}).join("")}`;

const NO_SPACE = "the disk has no space or no inodes left (df, df -i); make room";

/** Runs a shell script with mounts of its own, in which `kurs` runs the program's commands. */
async function run(script: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, "rates.csv");
  await writeFile(file, RATES);
  const through = `node=$1 main=$2; kurs() { "$node" "$main" "$@"; }
    cd "$PLACE"; mkdir data other; export DATA_DIR="$PLACE/data"; ${script}`;
  return await kurs([], {
    through: [...MOUNT, ...runThrough(through)],
    env: { PATH: process.env.PATH ?? "", PLACE: directory.path, ...env },
  });
}

const events = ({ stdout }: Ended) =>
  stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));

suite("a command ends with a sentence that says what to do", { skip: !mayMount() }, () => {
  test("when a disk fills up under an import, which says what it stored and has its event", async () => {
    const ended = await run(`
      mount -t tmpfs -o size=3m none data
      kurs rates import rates.csv; echo "exit code $?"
      kurs audit --json; kurs rates list`);

    const stored =
      /^stopped: the rates of (\d+) lines are stored; the same command stores the rest\n/;
    const [sentence = "", lines] = stored.exec(ended.stderr) ?? [];
    const reason = `kurs: The store cannot be used at present: ${NO_SPACE}.\n`;
    assert.equal(ended.stderr, sentence + reason);
    assert.match(ended.stdout, /^exit code 1\n/);
    assert.ok(Number(lines) > 0 && Number(lines) < LINES);
    assert.match(ended.stdout, new RegExp(`^EUR/USD +1\\.${1000 + Number(lines) - 1} `, "m"));
    const [begun] = events(ended).filter(({ action }) => action === "rates.imported");
    assert.deepEqual(begun?.details, { file: "rates.csv", source: "import", started: true });
  });

  test("when a disk fills up under a backfill, which says what it stored and has its event", async () => {
    await using archives = await playArchives();
    const ended = await run(
      `mount -t tmpfs -o size=1300k none data
      kurs migrate
      kurs rates backfill ecb --from 2024-07-01 --to 2025-03-31; echo "exit code $?"
      kurs audit --json`,
      archives.env,
    );

    const [, stopped = "", reason] = /^(.*)\n(.*)\n$/.exec(ended.stderr) ?? [ended.stderr];
    assert.match(
      stopped,
      /^ecb: stopped: the figures of 0 of 1 request and [1-9][\d,]* more are stored; the same/,
    );
    assert.equal(reason, `kurs: The store cannot be used at present: ${NO_SPACE}.`);
    assert.match(ended.stdout, /^exit code 1$/m);
    const [begun] = events(ended).filter(({ action }) => action === "rates.backfilled");
    const dates = { from: "2024-07-01", to: "2025-03-31" };
    assert.deepEqual(begun?.details, { source: "ecb", ...dates, started: true });
  });

  test("when there are no or too few inodes for a backup, which the doctor reports, too", async () => {
    const { stdout, stderr } = await run(`
      mount -t tmpfs -o size=200m,nr_inodes=14 none data
      kurs migrate; cd data; for i in $(seq 14); do touch "f$i" || break; done 2>/dev/null
      kurs doctor; echo "exit code $?"
      for i in $(seq 6); do rm "f$i"; kurs backup --verify && break; rm -rf backups; done`);

    assert.match(stdout, /^problem {2}disk +0 inodes free at \S+: .*Remove files \(df -i\)\.$/m);
    assert.match(stdout, /^exit code 1$/m);
    const lines = stderr.trimEnd().split("\n");
    assert.ok(lines.length > 3, stderr);
    for (const line of lines) assert.match(line, /^kurs: Cannot \S.* inodes left \(df, df -i\)/);
  });

  test("when the data are mounted read-only, and names the directory that is", async () => {
    const { stdout, stderr } = await run(`
      kurs migrate >/dev/null; mount --bind -o ro data other; mount -o remount,ro,bind other
      kurs store copy --from sqlite:other --to postgres://localhost:1/kurs
      rm data/kurs.lock; kurs store copy --from sqlite:other --to postgres://localhost:1/kurs
      DATA_DIR=other kurs backup backup.db; ls`);

    const readOnly = "the file system is read-only; name a writable directory, such as a copy of";
    const lines = stderr.trimEnd().split("\n");
    for (const line of lines) assert.match(line, /^kurs: Cannot use the DATA_DIR other: /);
    assert.deepEqual([lines.length, stderr.split(readOnly).length - 1], [3, 3]);
    assert.equal(stdout, "data\nother\nrates.csv\n");
  });

  test("when one of two files of evidence cannot be replaced, and names that one", async () => {
    const figure = "rates evidence EUR USD 2000-01-03 --source import --rule on-or-before";
    const { stdout, stderr } = await run(`
      head -n 3 rates.csv >few.csv; kurs rates import few.csv >/dev/null
      : >out.json; mount --bind out.json out.json
      kurs ${figure} --document few.csv --out out.json --html page.html --force; ls`);

    assert.match(stderr, /^kurs: cannot write out\.json: something is mounted there, [^\n]+\n$/);
    assert.equal(stdout, "data\nfew.csv\nother\nout.json\nrates.csv\n");
  });
});
