import assert from "node:assert/strict";
import { mkdir, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { administer } from "../../harness/postgres.ts";
import { playSmtp } from "../support/fake-smtp-server.ts";
import { newPostgresDatabase } from "../support/postgres-databases.ts";
import { kurs, temporaryDirectory } from "../support/process.ts";

suite("secrets from files", { concurrency: 2 }, () => {
  for (const [what, ending] of [
    ["with a newline at its end", "\n"],
    ["with a Windows newline at its end", "\r\n"],
    ["without a newline", ""],
  ] as const) {
    test(`DATABASE_URL_FILE names a file ${what}`, async () => {
      await using database = await newPostgresDatabase();
      await using directory = await temporaryDirectory();
      const file = join(directory.path, "database-url");
      await writeFile(file, database.url + ending);

      const ended = await kurs(["plans", "set", "pro", "5"], {
        dataDirectory: join(directory.path, "data"),
        env: { DATABASE_URL_FILE: file },
      });

      assert.deepEqual([ended.exitCode, ended.stderr], [0, ""]);
      const plans = await administer(database.url, "SELECT units_per_period FROM plans ORDER BY 1");
      assert.deepEqual(
        plans.map((row) => Number(row.units_per_period)),
        [5, 1000],
      );
      assert.deepEqual(await readdir(directory.path), ["database-url"]);
    });
  }

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

  test("a server does not start when both forms are set, and prints neither", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "secret");
    await writeFile(file, "postgres://kurs:sesame-42@db.example.org/kurs");

    const ended = await kurs(["serve"], {
      dataDirectory: join(directory.path, "data"),
      env: {
        PORT: "0",
        DATABASE_URL: "postgres://kurs:sesame-43@db.example.org/kurs",
        DATABASE_URL_FILE: file,
        SMTP_URL: "smtps://kurs:sesame-44@mail.example.org",
        SMTP_URL_FILE: file,
      },
    });

    assert.equal(ended.exitCode, 2);
    assert.doesNotMatch(ended.stdout + ended.stderr, /sesame/);
    assert.deepEqual(ended.stderr.split("\n").slice(1), [
      "  DATABASE_URL: unset it or DATABASE_URL_FILE; only one of them can be set",
      "  SMTP_URL: unset it or SMTP_URL_FILE; only one of them can be set",
      "",
    ]);
    assert.deepEqual(await readdir(directory.path), ["secret"]);
  });

  for (const [what, make, reason] of [
    ["does not exist", async () => undefined, "cannot be read: no such file"],
    ["is empty", async (path: string) => await writeFile(path, "\n"), "is empty"],
    ["is a directory", async (path: string) => void (await mkdir(path)), "is not a file"],
    [
      "has more than 64 KiB",
      async (path: string) => {
        await writeFile(path, "sesame-42");
        await truncate(path, 65_537);
      },
      "has more than 64 KiB",
    ],
  ] as const) {
    test(`a server does not start with a secret file that ${what}, and names it`, async () => {
      await using directory = await temporaryDirectory();
      const file = join(directory.path, "secret");
      await make(file);

      const ended = await kurs(["serve"], {
        dataDirectory: join(directory.path, "data"),
        env: { PORT: "0", DATABASE_URL_FILE: file },
      });

      assert.equal(ended.exitCode, 2);
      const [, problem, ...others] = ended.stderr.split("\n");
      const want = "want a file with DATABASE_URL in one line";
      assert.equal(problem, `  DATABASE_URL_FILE: ${want}, but ${file} ${reason}`);
      assert.deepEqual(others, [""]);
      assert.doesNotMatch(ended.stderr, /sesame/);
    });
  }

  test("an invalid address in a file is reported without the address", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "secret");
    await writeFile(file, "postgres:kurs:sesame-42@db.example.org\n");

    const ended = await kurs(["serve"], {
      dataDirectory: join(directory.path, "data"),
      env: { PORT: "0", DATABASE_URL_FILE: file },
    });

    assert.equal(ended.exitCode, 2);
    assert.match(ended.stderr, /DATABASE_URL: want an address such as/);
    assert.doesNotMatch(ended.stderr, /sesame/);
  });
});
