import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { readConfig } from "../../../src/app/config.ts";
import { secretsInFiles, settingNames, settingOf } from "../../../src/app/settings.ts";
import { sourceNames } from "../../../src/rates/sources/fetching/registry.ts";
import { kurs as kursHere } from "../../support/command-line.ts";
import { kurs, temporaryDirectory } from "../../support/process.ts";
import { problemsOf } from "./problems.ts";

// 6 s of processor time: four commands with each odd value that a setting accepts.

interface Shown {
  readonly name: string;
  readonly value: string;
  readonly from: string;
}

async function shownWith(env: Readonly<Record<string, string>>): Promise<Shown[]> {
  const { exitCode, stdout, stderr } = await kursHere(["settings", "--json"], { env });
  assert.equal(exitCode, 0, stderr);
  return JSON.parse(stdout) as Shown[];
}

const settingIn = (shown: readonly Shown[], name: string) => {
  const { value, from } = shown.find((setting) => setting.name === name) ?? {};
  return [value, from];
};

suite("kurs settings", { concurrency: 2 }, () => {
  test("shows every setting, with the defaults of those that are unset", async () => {
    const shown = await shownWith({});
    assert.deepEqual(
      shown.map(({ name }) => name),
      settingNames,
    );
    assert.deepEqual(settingIn(shown, "PORT"), ["8080", "default"]);
    assert.deepEqual(settingIn(shown, "BACKUP_DIR"), ["data/backups", "default"]);
    assert.deepEqual(settingIn(shown, "MAIL_FROM"), ["Kurs <kurs@localhost>", "default"]);
    assert.deepEqual(settingIn(shown, "HISTORY_DAYS"), ["(none: forever)", "default"]);
    assert.deepEqual(settingIn(shown, "RATE_SOURCES"), ["(none)", "environment"]);
  });

  test("shows what the environment sets, and what follows from it", async () => {
    const shown = await shownWith({
      PORT: " 9000 ",
      HOST: "",
      DATA_DIR: "/srv/kurs",
      PUBLIC_URL: "https://rates.example.org",
      no_proxy: "intranet.example.org",
    });
    assert.deepEqual(settingIn(shown, "PORT"), ["9000", "environment"]);
    assert.deepEqual(settingIn(shown, "HOST"), ["127.0.0.1", "default"]);
    assert.deepEqual(settingIn(shown, "BACKUP_DIR"), ["/srv/kurs/backups", "default"]);
    assert.deepEqual(settingIn(shown, "MAIL_FROM"), ["Kurs <kurs@rates.example.org>", "default"]);
    assert.deepEqual(settingIn(shown, "NO_PROXY"), ["intranet.example.org", "environment"]);
  });

  test("shows only whether a secret is set, and the file that it comes from", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "database");
    await writeFile(file, "postgres://kurs:sesame@db.example.org/kurs\n");
    const env = {
      DATABASE_URL_FILE: file,
      SMTP_URL: "smtps://kurs:sesame@mail.example.org",
      HTTPS_PROXY: "http://kurs:sesame@proxy.example.org:3128",
    };
    const shown = await shownWith(env);
    assert.deepEqual(settingIn(shown, "DATABASE_URL"), ["set", `the file ${file}`]);
    assert.deepEqual(settingIn(shown, "SMTP_URL"), ["set", "environment"]);
    assert.deepEqual(settingIn(shown, "HTTPS_PROXY"), ["set", "environment"]);
    assert.deepEqual(settingIn(await shownWith({}), "SMTP_URL"), ["unset", "default"]);
    const { stdout, stderr } = await kursHere(["settings"], { env });
    assert.doesNotMatch(stdout + stderr + JSON.stringify(shown), /sesame|example\.org:3128/);
  });

  test("names the env file of Node.js that a value came from, unless the environment has another", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "kurs.env");
    await writeFile(file, "PORT=9000\nAUTH_LIMIT=5\n");
    const through = ["sh", "-c", 'node=$1; shift; exec "$node" --env-file="$FILE" "$@"', "sh"];
    const env = { FILE: file, AUTH_LIMIT: "7", PATH: process.env.PATH ?? "" };
    const { exitCode, stdout, stderr } = await kurs(["settings"], { env, through });
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, new RegExp(`^PORT +9000 +env file ${file}$`, "m"));
    assert.match(stdout, /^AUTH_LIMIT +7 +environment$/m);
    assert.match(stdout, /^HOST +127\.0\.0\.1 +default$/m);
  });
});

test("no command prints a stack for any value of a setting", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, "data");
  await kursHere(["migrate"], { dataDirectory });
  const file = join(directory.path, "file");
  await writeFile(file, "abc");
  const noHosts = [
    "127.0.0.1:21005",
    "256.1.1.1",
    "[::1]",
    "a b",
    "%zz",
    "http://[",
    "é",
    "x".repeat(300),
  ];
  const values = [
    ...noHosts,
    "fe80::1%lo",
    "-1",
    "1e9",
    "smtp://%zz@x",
    file,
    "a@b\nBcc: x",
    "/dev/null/x",
  ];
  for (const name of [...settingNames, ...secretsInFiles.map((one) => `${one}_FILE`)]) {
    for (const text of values) {
      const value = name.endsWith("_DIR") ? join(directory.path, text) : text;
      const env = { PORT: "1", [name]: value };
      const isHost = name === "HOST" || name === "METRICS_HOST";
      const isValid = problemsOf({ DATA_DIR: dataDirectory, ...env }).length === 0;
      if (isHost && noHosts.includes(value)) assert.ok(!isValid, `${name}=${value}`);
      for (const command of isValid ? ["health", "doctor", "backup", "mail list"] : []) {
        const { stderr } = await kursHere(command.split(" "), { dataDirectory, env });
        assert.doesNotMatch(stderr, /unexpected error|\n +at /, `${name}=${value} kurs ${command}`);
      }
    }
  }
});

test("the token of a source may have punctuation, and an invalid one is not shown", () => {
  const { sourceTokens } = readConfig(sourceNames, { SOURCE_TOKENS: "nbp=a-B/1=, ecb=x" });
  assert.deepEqual(sourceTokens, { nbp: "a-B/1=", ecb: "x" });
  for (const [text, entry] of [
    ["secret", "entry 1 is"],
    ["nosuch=secret", "entry 1 is"],
    ["nbp=", "entry 1 is"],
    ["nbp=se cret", "entry 1 is"],
    ["nbp=x,secret", "entry 2 is"],
    ["secret, nbp=x, ecb=se cret", "entries 1 and 3 are"],
  ] as const) {
    assert.deepEqual(problemsOf({ SOURCE_TOKENS: text }), [
      `SOURCE_TOKENS: ${entry} no source with its token, such as banxico=0123abcd`,
    ]);
  }
});

suite("a variable whose name resembles a setting", () => {
  test("stops the start, which names the setting and creates nothing", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = join(directory.path, "data");
    const env = { REGISTRATON: "closed", RATE_SOURCE: "ecb", PORT: "0" };
    const { exitCode, stdout, stderr } = await kurs(["serve"], { dataDirectory, env });
    assert.deepEqual([exitCode, stdout], [2, ""]);
    assert.match(stderr, /^ {2}REGISTRATON: .*did you mean REGISTRATION\?$/m);
    assert.deepEqual(await readdir(directory.path), []);
  });

  const meant = {
    REGISTRATON: "REGISTRATION",
    RATE_SOURCE: "RATE_SOURCES",
    PUBLIC_URI: "PUBLIC_URL",
    SMPT_URL: "SMTP_URL",
    DATABSE_URL_FILE: "DATABASE_URL_FILE",
    REQUIRE_VERIFED_EMIAL: "REQUIRE_VERIFIED_EMAIL",
    LOGLEVEL: "LOG_LEVEL",
    BACKUPS_KEEP: "BACKUP_KEEP",
  };
  for (const [name, setting] of Object.entries(meant)) {
    test(`${name} is taken for ${setting}`, () => {
      const problem = `${name}: there is no such setting: did you mean ${setting}?`;
      assert.deepEqual(problemsOf({ [name]: "x" }), [problem]);
    });
  }

  test("is no error when it is empty, or when that setting is set, too", () => {
    assert.deepEqual(problemsOf({ REGISTRATON: "" }), []);
    assert.deepEqual(problemsOf({ RATE_SOURCES: "", RATE_SOURCE: "ecb" }), []);
    assert.deepEqual(problemsOf({ LOG_LEVEL: "info", LOGLEVEL: "DEBUG" }), []);
  });
});

// Names that shells, systemd, npm, Docker, Kubernetes, CI systems and database clients set: those
// that differ least from a setting.
const usual = `
  BASH BASHOPTS HISTFILE HISTSIZE HOME HOSTNAME HOSTTYPE IFS LANG LESS MAIL MAILCHECK MAILPATH
  NO_COLOR OSTYPE PAGER PATH PPID PS1 PWD SHELL SHLVL SSH_CONNECTION SUDO_UID TEMP TERM TMP TMPDIR
  TMUX TZ UID USER ZDOTDIR XDG_DATA_DIRS NODE NVM_DIR ALL_PROXY FTP_PROXY HTTP_PROXY HTTPS_PROXY
  NO_PROXY all_proxy ftp_proxy http_proxy RSYNC_PROXY KURS_PORT POD_IP HOST_IP SERVICE_HOST
  SERVICE_PORT PGDATA PGHOST PGPORT REDIS_HOST REDIS_PORT REDIS_URL DATABASE_HOST DATABASE_NAME
  DATABASE_PORT DATABASE_USER SMTP_HOST SMTP_PORT SMTP_SERVER SMTP_USER SMTP_FROM MAIL_HOST
  MAIL_PORT MAIL_USER MAILTO DYNO CI BUILD_URL RUST_LOG GOPATH OTEL_LOG_LEVEL TEST_DATABASE_URL
`;

test("no usual variable of the systems that Kurs runs on is taken for a setting", () => {
  for (const name of [...usual.trim().split(/\s+/), ...Object.keys(process.env)]) {
    if (settingNames.some((setting) => setting === name.toUpperCase())) continue;
    assert.deepEqual(problemsOf({ [name]: "x" }), []);
  }
});

test("no variable of a Kubernetes service is taken for a setting, whatever the service's name", () => {
  for (const service of ["METRIC", "METRICSS", "AUTH_LIMIT", "BACKUP_DI"]) {
    assert.deepEqual(
      problemsOf({
        [`${service}_SERVICE_HOST`]: "10.0.0.1",
        [`${service}_SERVICE_PORT`]: "80",
        [`${service}_SERVICE_PORT_HTTP`]: "80",
        [`${service}_PORT`]: "tcp://10.0.0.1:80",
        [`${service}_PORT_80_TCP`]: "tcp://10.0.0.1:80",
        [`${service}_PORT_80_TCP_ADDR`]: "10.0.0.1",
      }),
      [],
    );
  }
});

test("docs/settings.md has every setting with its default, and no other", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/settings.md"), "utf8");
  const documented = text.split("\n").flatMap((line) => {
    const [, names = "", defaults = ""] = /^\| (`[A-Z].*?) \| (.*?) \|/.exec(line) ?? [];
    const values = names.includes(", ") ? defaults.split(", ") : [defaults];
    return names === ""
      ? []
      : names.split(", ").map((name, index) => [name.replaceAll("`", ""), values[index]]);
  });
  const expected = settingNames.map((name) => {
    const { value, without } = settingOf(name);
    return [name, value ?? without];
  });
  assert.deepEqual(
    documented.map(([name, value]) => [
      name,
      value?.replace(/^\((.*)\)$/, "$1").replaceAll("`", ""),
    ]),
    expected,
  );
  const { onByDefault } = sourceNames;
  assert.equal(settingOf("RATE_SOURCES").without, onByDefault.join(","));
  for (const name of secretsInFiles) assert.ok(text.includes(`\`${name}_FILE\``), name);
});

test("kurs serve --help lists every setting with its default", async () => {
  const { exitCode, stdout } = await kursHere(["serve", "--help"], { env: { PORT: "none" } });
  assert.equal(exitCode, 0);
  const expected = settingNames.map((name) => {
    const { value, without } = settingOf(name);
    return [name, value ?? `(${without})`];
  });
  const listed = [...stdout.matchAll(/^([A-Z_]+) {2,}(.+)$/gm)].map(([, ...cells]) => cells);
  assert.deepEqual(listed, [["SETTING", "DEFAULT"], ...expected]);
});
