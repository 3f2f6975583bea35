import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { wholeNumber } from "../../../src/platform/cli/whole-number.ts";
import { kurs } from "../../support/command-line.ts";
import { temporaryDirectory } from "../../support/process.ts";

suite("command-line usage", { concurrency: 4 }, () => {
  test("kurs --version prints the version of package.json", async () => {
    const manifest = JSON.parse(
      await readFile(join(import.meta.dirname, "../../../package.json"), "utf8"),
    );
    const { exitCode, stdout } = await kurs(["--version"]);
    assert.equal(exitCode, 0);
    assert.equal(stdout, `${manifest.version}\n`);
  });

  // One of each kind that the parser finds by itself, and every one that a command finds.
  const wrongUses: readonly (readonly [use: string | readonly string[], message: string])[] = [
    ["fly", "error: unknown command 'fly'"],
    ["rates fly", "error: unknown command 'fly'"],
    ["--fly", "error: unknown option '--fly'"],
    ["serve --port 80", "error: unknown option '--port'"],
    ["rates import", "error: missing required argument 'file'"],
    ["rates import one.csv two.csv", "error: too many arguments for 'import'"],
    ["rates history EUR U$D", 'kurs: quote "U$D": must be'],
    ["rates history EUR USD --from ''", 'kurs: --from "": must be a date such as 2026-'],
    ["rates history EUR USD --to 2026-02-30", 'kurs: --to "2026-02-30": there is no such day'],
    ["rates history EUR USD --to 24h", 'kurs: --to "24h": must be a date such as'],
    [
      "rates history EUR USD --from 2026-01-02 --to 2026-01-01",
      "kurs: --from 2026-01-02 is after --to 2026-01-01: exchange them",
    ],
    ["rates history EUR USD --format xml", "error: option '--format <format>'"],
    [
      "rates history EUR USD --json --format csv",
      "error: option '--json' cannot be used with option '--format <format>'",
    ],
    ["rates at EUR USD yesterday", 'kurs: moment "yesterday": must be a date such as'],
    ["rates at EUR USD 2026-01-01T10:00", 'kurs: moment "2026-01-01T10:00": must be'],
    ["rates at EUR USD 2026-02-30", 'kurs: moment "2026-02-30": there is no such day'],
    ["rates at EUR USD 9999-12-31", 'kurs: moment "9999-12-31": this day ends at'],
    ["rates at EUR USD 9999-12-31T00:00:00Z", 'kurs: moment "9999-12-31T00:00:00Z"'],
    ["rates at EUR USD 2016-12-31T23:59:60Z", 'kurs: moment "2016-12-31T23:59:60Z": a leap second'],
    ["rates trace EUR USD --at 9999-01-01", 'kurs: --at "9999-01-01": this day'],
    ["rates trace EUR USD --file", "error: option '--file <path>' argument missing"],
    ["rates trace", "kurs: pass BASE and QUOTE, --document DIGEST, or both\n"],
    ["rates trace EUR --document 0", "kurs: pass BASE and QUOTE, --document DIGEST, or both\n"],
    ["rates trace --document sha-512=:0:", 'kurs: --document "sha-512=:0:": must be the value of'],
    [
      "rates trace EUR USD --document 0 --at 2026-01-01",
      "error: option '--document <digest>' cannot be used with option '--at <moment>'",
    ],
    ["rates verify EUR", "error: too many arguments for 'verify'"],
    ["rates verify --source", "error: option '--source <source>' argument missing"],
    ["rates list EUR U$D", 'kurs: quote "U$D": must be'],
    ["rates list EUR USD GBP", "error: too many arguments for 'list'"],
    [
      "rates history EUR USD --kind middle",
      "kurs: --kind middle: pass --source, whose figures it selects",
    ],
    [
      "rates history EUR USD --source ecb --kind mid",
      "error: option '--kind <kind>' argument 'mid' is invalid",
    ],
    [
      "rates history EUR USD --source ecb --from 2026-01-01T00:00:00Z",
      'kurs: --from "2026-01-01T00:00:00Z": must be a date of the publisher such as',
    ],
    [
      "rates history EUR USD --source ecb --to 2026-02-30",
      'kurs: --to "2026-02-30": there is no such day',
    ],
    [
      "rates history EUR USD --source=ecb --from=2026-01-02 --to=2026-01-01",
      "kurs: --from 2026-01-02 is after --to 2026-01-01: exchange them",
    ],
    [
      "rates trace EUR USD --source ecb --at 24h",
      'kurs: --at "24h": must be a date of the publisher',
    ],
    ["rates trace EUR USD --kind buying", "kurs: --kind buying: pass --source"],
    ["rates compare E", 'kurs: base "E": must be 2 to 10 letters A-Z or digits'],
    ["rates compare EUR USD GBP", "error: too many arguments for 'compare'"],
    ["rates compare --above -1", 'kurs: --above "-1": must be a number of percent'],
    ["rates compare --above half", 'kurs: --above "half": must be a number of percent'],
    ["rates own EUR USD", "error: missing required argument 'source'"],
    ["rates own EUR '' ecb", 'kurs: quote "": must be'],
    ["audit --since 0h", 'kurs: --since "0h": must be a time such as 2026-11-'],
    ["audit --since tomorrow", 'kurs: --since "tomorrow": must be a time such as 2026-11-'],
    ["keys revoke ''", "kurs: the key must be the id of an API key, or its prefix such as"],
    ["keys revoke svc_live_0123456", "kurs: the key must be the id of an API key, or its prefix"],
    ["keys revoke svc_live_012345678", "kurs: the key must be the id of an API key, or its prefix"],
    ["accounts quota-mails ada@example.org ON", 'kurs: "ON": must be on or off'],
    ["mail test ada", 'kurs: "ada" is not an email address'],
    [["mail", "test", "Ada <ada@example.org>"], 'kurs: "Ada <ada@example.org>" is not an email'],
    ["mail test ada@example.org,eve@example.org", 'kurs: "ada@example.org,eve@'],
    ["backup one.db --keep 0", 'kurs: --keep "0": must be a whole number from 1'],
    ["backup one.db --keep 3", "kurs: --keep needs a directory of backups, and one.db is not one"],
    ["backup -", "kurs: name a file: a backup is checked completely"],
    ["restore -", "kurs: name a file: a backup is checked completely"],
    ["rates list E", 'kurs: base "E": must be 2 to 10 letters A-Z or digits, such as EUR'],
    ["rates suspend EUR ß", 'kurs: quote "ß": must be'],
    ["rates delete EUR ''", 'kurs: quote "": must be'],
    ["rates delete EUR;DROP USD", 'kurs: base "EUR;DROP": must be'],
    ["rates resume EUR/USD USD", 'kurs: base "EUR/USD": must be'],
    ["plans set pro -1", 'kurs: units "-1": must be a whole number from 0 to 1000000000000'],
    ["plans set pro 1000000000001", 'kurs: units "1000000000001": must be'],
    ["plans set Pro 5", 'kurs: plan "Pro": must be up to 40 lower-case letters'],
    ["accounts list --limit 0", 'kurs: --limit "0": must be a whole number from 1 to 1000'],
    ["accounts list --limit 1001", 'kurs: --limit "1001": must be a whole number from 1'],
    ["accounts list --after ''", 'kurs: --after "": must be the id of an account'],
    ["accounts list --after ada@example.org", 'kurs: --after "ada@example.org": must be the'],
    ["usage export --format CSV", "error: option '--format <format>' argument 'CSV' is"],
    ["usage export --period ''", 'kurs: --period "": must be a month as YYYY-MM, such as 2'],
    ["usage export --period 9999-12", "kurs: --period 9999-12: this period has not begun;"],
  ];

  for (const [use, message] of wrongUses) {
    const args = typeof use === "string" ? use.split(" ").map((arg) => arg.replace("''", "")) : use;
    test(`"kurs ${args.join(" ")}" exits with 2 and creates no database`, async () => {
      await using directory = await temporaryDirectory();
      const dataDirectory = join(directory.path, "data");

      const { exitCode, stdout, stderr } = await kurs(args, { dataDirectory });

      assert.equal(exitCode, 2);
      assert.equal(stdout, "");
      assert.ok(stderr.startsWith(message), stderr);
      assert.doesNotMatch(stderr, / {4}at /);
      assert.equal(existsSync(dataDirectory), false);
    });
  }

  const needingStore = [
    "rates list",
    "rates status",
    "rates fetch --dry-run",
    "rates held",
    "rates release EUR USD",
    "rates drop EUR USD",
    "rates suspend EUR USD",
    "rates resume EUR USD",
    "rates delete EUR USD",
    "rates history EUR USD",
    "rates at EUR USD 2026-01-01",
    "rates trace EUR USD",
    "rates verify",
    "rates list EUR USD",
    "rates history EUR USD --source ecb",
    "rates trace EUR USD --source ecb",
    "rates verify --source ecb",
    "rates compare",
    "rates own EUR USD ecb",
    "plans list",
    "plans set pro 5",
    "plans delete pro",
    "usage export",
    "accounts list",
    "accounts show ada@example.org",
    "accounts plan ada@example.org free",
    "accounts verify ada@example.org",
    "accounts suspend ada@example.org",
    "accounts resume ada@example.org",
    "accounts sessions end ada@example.org",
    "accounts reset-link ada@example.org",
    "accounts export ada@example.org",
    "accounts delete ada@example.org --yes",
    "audit",
    "keys list ada@example.org",
    "keys revoke svc_live_01234567",
    "keys burn",
    "mail list",
    "backup",
    "backup copy.db",
  ];

  test("in a directory without a store, commands that need one name its path and create nothing", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, "data");
    const env = { RATE_SOURCES: "ecb" };
    for (let start = 0; start < needingStore.length; start += 4) {
      const commands = needingStore.slice(start, start + 4);
      const run = (command: string) => kurs(command.split(" "), { dataDirectory, env });
      for (const [index, ended] of (await Promise.all(commands.map(run))).entries()) {
        const message = `kurs: There is no database at ${join(dataDirectory, "kurs.db")}; set DATA_DIR`;
        assert.deepEqual([ended.exitCode, ended.stdout], [1, ""], commands[index] ?? "");
        assert.ok(ended.stderr.startsWith(message), `${commands[index]}: ${ended.stderr}`);
        assert.equal(ended.stderr.split("\n").length, 2);
      }
    }
    assert.deepEqual(readdirSync(directory.path), []);
  });

  test("an import of a missing file creates no database", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, "data");
    const { exitCode, stderr } = await kurs(["rates", "import", "none.csv"], { dataDirectory });
    assert.deepEqual([exitCode, stderr], [1, "kurs: cannot read none.csv: no such file\n"]);
    assert.deepEqual(readdirSync(directory.path), []);
  });

  test("without a command, or with an incomplete one, kurs prints the help and exits with 2", async () => {
    const groups = ["rates", "plans", "usage", "accounts", "accounts sessions", "keys", "mail"];
    for (const args of [[], ...groups.map((group) => group.split(" "))]) {
      const { exitCode, stdout, stderr } = await kurs(args);
      assert.equal(exitCode, 2);
      assert.equal(stdout, "");
      assert.ok(stderr.startsWith(`Usage: ${["kurs", ...args].join(" ")}`), stderr);
    }
  });

  test("a command reports an invalid configuration as kurs serve does", async () => {
    for (const command of ["plans list", "settings"]) {
      const ended = await kurs(command.split(" "), { env: { PORT: "abc" } });
      assert.deepEqual([ended.exitCode, ended.stdout], [2, ""]);
      const problem = /^kurs: .*\n {2}PORT: must be a whole number from 0 to 65535, not "abc"\n$/;
      assert.match(ended.stderr, problem);
    }
  });

  test("help, the version and wrong use need no valid configuration", async () => {
    const env = { PORT: "abc" };
    for (const args of [["--help"], ["serve", "--help"], ["--version"]]) {
      const { exitCode, stderr } = await kurs(args, { env });
      assert.deepEqual([exitCode, stderr], [0, ""]);
    }
    const { stderr } = await kurs(["plans", "set", "pro", "-1"], { env });
    assert.match(stderr, /^kurs: units "-1": must be/);
  });
});

test("a number's least and most are accepted, and nothing beyond them", () => {
  assert.deepEqual(
    ["0", "10"].map((text) => wholeNumber("units", text, 0, 10)),
    [0, 10],
  );
  for (const text of ["-1", "11", "1e1", "", "0x1", " 1", "１"]) {
    assert.throws(() => wholeNumber("units", text, 0, 10), /must be a whole number from 0 to 10/);
  }
});
