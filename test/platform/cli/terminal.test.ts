import assert from "node:assert/strict";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { clientOf } from "../../support/client.ts";
import { playSmtp } from "../../support/fake-smtp-server.ts";
import { type Ended, kurs, Program, serve, temporaryDirectory } from "../../support/process.ts";
import { startService } from "../../support/service.ts";

/** Direction overrides and invisible characters that an email may contain. */
const BIDI = "\u202e\u2066\u200b\u200f\u061c\u2060\u2069\ufff9\ufffb\u{e0041}";
const SHOWN_BIDI = "\\u202e\\u2066\\u200b\\u200f\\u061c\\u2060\\u2069\\ufff9\\ufffb\\udb40\\udc41";

/** Terminal control sequences and more line breaks. */
const HOSTILE = `\u009b2J\u001b[2J\u007f\u0085\u2028${BIDI}`;
const SHOWN = `\\u009b2J\\u001b[2J\\u007f\\u0085\\u2028${SHOWN_BIDI}`;

const EMAIL = `"a${BIDI}b"@example.org`;
const SHOWN_EMAIL = `"a${SHOWN_BIDI}b"@example.org`;
const ERROR = `away\r\n${HOSTILE}`;

const directory = await temporaryDirectory();
after(() => directory[Symbol.asyncDispose]());

{
  await using service = await startService({ dataDirectory: directory.path });
  const json = { email: EMAIL, password: "correct horse battery" };
  assert.equal((await service.post("/v1/auth/register", { json })).status, 201);
  const failed = "last_error = ?, given_up_at = created_at, next_attempt_at = NULL, token = NULL";
  service.query(`UPDATE mails SET ${failed}`, ERROR);
  const columns = "source, last_error_at, last_error, failures, next_attempt_at";
  const time = "2026-11-21T12:00:00.000Z";
  service.query(`INSERT INTO sources (${columns}) VALUES (?,?,?,1,?)`, "ecb", time, ERROR, time);
}

const run = (args: readonly string[], input = "") =>
  kurs(args, { dataDirectory: directory.path, input, env: { RATE_SOURCES: "ecb" } });

/** Asserts that every character is visible except line feeds. @param lines how many of those. */
function assertVisible({ stdout, stderr }: Pick<Ended, "stdout" | "stderr">, lines?: number): void {
  assert.doesNotMatch(stdout + stderr, /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  if (lines !== undefined) assert.equal((stdout + stderr).split("\n").length - 1, lines);
}

suite("commands escape invisible characters in output", { concurrency: 2 }, () => {
  test("in the reason for skipping an imported line", async () => {
    const line = JSON.stringify({ base: `E${HOSTILE}`, quote: "USD", rate: "1", as_of: "x" });
    const ended = await run(["rates", "import", "-"], `${line}\n`);
    assert.ok(ended.stderr.startsWith(`line 1: base "E${SHOWN}" is not a symbol`), ended.stderr);
    assertVisible(ended, 2);
  });

  test("in tables, whose rows stay on one line and whose columns stay aligned", async () => {
    const accounts = await run(["accounts", "list"]);
    assertVisible(accounts, 2);
    const [heading = "", row = ""] = accounts.stdout.split("\n");
    assert.equal(row.indexOf(" free "), heading.indexOf(" PLAN "));
    assert.ok(row.startsWith(`${SHOWN_EMAIL} `), row);

    const mails = await run(["mail", "list"]);
    assertVisible(mails, 2);
    assert.ok(mails.stdout.includes(` ${SHOWN_EMAIL} `), mails.stdout);
    assert.ok(mails.stdout.endsWith(` away\\u000d\\u000a${SHOWN}\n`), mails.stdout);

    assertVisible(await run(["rates", "status"]));
  });

  test("in JSON, which still parses to the original text", async () => {
    const accounts = await run(["accounts", "list", "--json"]);
    assertVisible(accounts);
    assert.equal(JSON.parse(accounts.stdout)[0].email, EMAIL);

    const mails = await run(["mail", "list", "--json"]);
    assertVisible(mails);
    assert.deepEqual(
      (JSON.parse(mails.stdout) as Record<string, unknown>[]).map((mail) => mail.last_error),
      [ERROR],
    );
  });

  test("in the doctor's findings, which stay on one line each", async () => {
    const env = { PORT: `1${HOSTILE}` };
    const { stdout } = await kurs(["doctor"], { dataDirectory: directory.path, env });
    assertVisible({ stdout, stderr: "" });
    assert.match(stdout, /^problem +settings +PORT: .*$/m);
    assert.ok(stdout.includes(SHOWN), stdout);
  });

  test("in error messages about arguments and about the configuration", async () => {
    const missing = await run(["rates", "import", `no${HOSTILE}`]);
    assert.equal(missing.stderr, `kurs: cannot read no${SHOWN}: no such file\n`);

    const unknown = await run([`r${HOSTILE}`]);
    assert.ok(unknown.stderr.includes(`unknown command 'r${SHOWN}'`), unknown.stderr);
    assertVisible(unknown);

    const env = { PORT: `1${HOSTILE}` };
    const unset = await kurs(["plans", "list"], { dataDirectory: directory.path, env });
    assert.ok(unset.stderr.includes(`not "1${SHOWN}"`), unset.stderr);
    assertVisible(unset);
  });

  test("in the log", async () => {
    await using smtp = await playSmtp();
    smtp.behave({ reject: "RCPT", code: 451, message: `busy ${BIDI}` });
    await using logDirectory = await temporaryDirectory();
    const env = { SMTP_URL: smtp.url };
    await using server = await serve({ dataDirectory: logDirectory.path, env });
    await server.openSession("ada@example.org");

    const logged = await server.program.waitFor("the SMTP rejection", () =>
      server.logLines().find((line) => JSON.stringify(line).includes("busy")),
    );
    assert.ok(JSON.stringify(logged).includes(BIDI), JSON.stringify(logged));
    const { stdout } = await server.stop();
    assertVisible({ stdout, stderr: "" });
    assert.ok(stdout.includes(`busy ${SHOWN_BIDI}`), stdout);
  });
});

/** Runs a program on a terminal of its own, whose output is the program's stdout. */
const onTerminal = ["sh", "-c", 'exec script -qfec "$*" /dev/null', "sh"];

suite("a server on a terminal", { concurrency: 2 }, () => {
  test("logs lines for people, and says where it listens and where data and mail go", async () => {
    await using place = await temporaryDirectory();
    const dataDirectory = join(place.path, "data");
    const env = { PORT: "0", TERM: "xterm", NO_COLOR: "1", PATH: process.env.PATH ?? "" };
    await using program = new Program(["serve"], { dataDirectory, env, through: onTerminal });
    const url = await program.waitFor(
      "the banner",
      () => /Kurs \S+ listens on (\S+)[\s\S]* commands /.exec(program.stdout)?.[1],
    );

    assert.match(program.stdout, new RegExp(` console +${url}/\r$`, "m"));
    assert.match(program.stdout, new RegExp(` API reference +${url}/docs\r$`, "m"));
    assert.match(program.stdout, new RegExp(` data +${dataDirectory}/kurs\\.db\r$`, "m"));
    assert.match(program.stdout, new RegExp(` mail +files in ${dataDirectory}/mail `, "m"));
    const log = await program.waitFor(
      "the log",
      () => /^\d\d:\d\d:\d\d warning: serving the bundled snapshot .*$/m.exec(program.stdout)?.[0],
    );
    assert.match(log, /ecb of \d{4}-\d\d-\d\d/);
    await clientOf(url.trim()).get("/v1/rates/EUR/USD");
    await program.waitFor("the request's line", () =>
      /^\d\d:\d\d:\d\d GET \/v1\/rates\/:base\/:quote 401 \d+\.\d ms\r$/m.exec(program.stdout),
    );
    assert.doesNotMatch(program.stdout, /^\{"level"/m);
    assert.ok(!program.stdout.includes("\u001b"), "it is coloured in spite of NO_COLOR");
  });

  test("colours the time and the level, unless NO_COLOR is set", async () => {
    await using place = await temporaryDirectory();
    const env = { PORT: "0", TERM: "xterm", PATH: process.env.PATH ?? "" };
    const options = { dataDirectory: place.path, env, through: onTerminal };
    await using program = new Program(["serve"], options);
    const warning = "\u001b[33mwarning: \u001b[0mserving the bundled snapshot";
    await program.waitFor("a coloured warning", () =>
      program.stdout.includes(warning) ? true : undefined,
    );
  });

  test("brings no control character of another program back to life", async () => {
    await using smtp = await playSmtp();
    smtp.behave({ reject: "RCPT", code: 451, message: `busy ${HOSTILE} "quoted\\n"` });
    await using place = await temporaryDirectory();
    const terminal = { TERM: "xterm", NO_COLOR: "1", PATH: process.env.PATH ?? "" };
    const env = { PORT: "0", ...terminal, SMTP_URL: smtp.url };
    const options = { dataDirectory: place.path, env, through: onTerminal };
    await using program = new Program(["serve"], options);
    const url = await program.waitFor("its address", () =>
      /listens on (\S+)/.exec(program.stdout)?.[1]?.trim(),
    );
    await clientOf(url).register("ada@example.org");

    await program.waitFor("the rejected mail", () => /busy[\s\S]*quoted/.exec(program.stdout)?.[0]);

    assert.doesNotMatch(program.stdout, /(?![\r\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });
});
