import assert from "node:assert/strict";
import { mkdir, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { administer } from "../../harness/postgres.ts";
import { problemsOf } from "../platform/cli/problems.ts";
import { kurs } from "../support/command-line.ts";
import { playSmtp } from "../support/fake-smtp-server.ts";
import { newPostgresDatabase } from "../support/postgres-databases.ts";
import { temporaryDirectory } from "../support/process.ts";

suite("secrets from files", { concurrency: 2 }, () => {
  test("DATABASE_URL_FILE names a file, with or without a newline at its end", async () => {
    await using database = await newPostgresDatabase();
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "database-url");
    for (const [index, ending] of ["\n", "\r\n", ""].entries()) {
      await writeFile(file, database.url + ending);

      const ended = await kurs(["plans", "set", "pro", String(index)], {
        dataDirectory: join(directory.path, "data"),
        env: { DATABASE_URL_FILE: file },
      });

      assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
      const plans = await administer(database.url, "SELECT units_per_period FROM plans ORDER BY 1");
      assert.deepEqual(
        plans.map((row) => Number(row.units_per_period)),
        [index, 1000],
      );
    }
    assert.deepEqual(await readdir(directory.path), ["database-url"]);
  });

  test("SMTP_URL_FILE names the mail server with its password", async () => {
    await using server = await playSmtp({ account: { user: "kurs", password: "sesame-42" } });
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "smtp-url");
    await writeFile(file, `${server.url}\n`);

    const ended = await kurs(["mail", "test", "ada@example.org"], {
      dataDirectory: join(directory.path, "data"),
      env: { SMTP_URL_FILE: file },
    });

    assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
    assert.deepEqual(
      server.received.map(({ user }) => user),
      ["kurs"],
    );
  });

  const problems: readonly (readonly [
    what: string,
    make: (path: string) => Promise<unknown>,
    problemOf: (path: string) => string,
  ])[] = [
    ["does not exist", async () => undefined, (path) => `${path} cannot be read: no such file`],
    ["is empty", (path) => writeFile(path, "\n"), (path) => `${path} is empty`],
    ["is a directory", (path) => mkdir(path), (path) => `${path} is not a file`],
    [
      "has more than 64 KiB",
      (path) => writeFile(path, "sesame-42").then(() => truncate(path, 65_537)),
      (path) => `${path} has more than 64 KiB`,
    ],
  ];
  for (const [what, make, problemOf] of problems) {
    test(`a file that ${what} is named as the problem`, async () => {
      await using directory = await temporaryDirectory();
      const file = join(directory.path, "secret");
      await make(file);
      const want = "DATABASE_URL_FILE: must be a file with DATABASE_URL in one line, but";
      assert.deepEqual(problemsOf({ DATABASE_URL_FILE: file }), [`${want} ${problemOf(file)}`]);
    });
  }

  test("both forms of a secret, or an invalid one in a file, are a problem that does not show it", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "secret");
    await writeFile(file, "postgres:kurs:sesame-42@db.example.org\n");
    const both = {
      DATABASE_URL: "postgres://kurs:sesame-43@db.example.org/kurs",
      DATABASE_URL_FILE: file,
      SMTP_URL: "smtps://kurs:sesame-44@mail.example.org",
      SMTP_URL_FILE: file,
    };
    assert.deepEqual(problemsOf(both), [
      "DATABASE_URL: unset it or DATABASE_URL_FILE; only one of them can be set",
      "SMTP_URL: unset it or SMTP_URL_FILE; only one of them can be set",
    ]);
    const [problem = "", ...others] = problemsOf({ DATABASE_URL_FILE: file });
    assert.match(problem, /^DATABASE_URL: must be an address such as (?!.*sesame)/);
    assert.deepEqual(others, []);
  });
});
