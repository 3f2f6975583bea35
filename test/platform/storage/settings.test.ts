import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { parseDatabaseUrl, redactDatabaseUrl } from "../../../src/platform/storage/settings.ts";

const namesOf = (text: string) => parseDatabaseUrl(text)?.map(({ name }) => name);
const urlsOf = (text: string) => parseDatabaseUrl(text)?.map(({ url }) => url);

suite("database URLs", () => {
  const urls: readonly (readonly [what: string, text: string, ...urls: string[]])[] = [
    [
      "one host, as it is",
      "postgres://kurs:a@db:5433/kurs?b=c",
      "postgres://kurs:a@db:5433/kurs?b=c",
    ],
    ["another name of the scheme", "postgresql://localhost/kurs", "postgresql://localhost/kurs"],
    ["a host alone", "postgres://localhost", "postgres://localhost"],
    ["a user and a host", "postgres://kurs@localhost", "postgres://kurs@localhost"],
    ["a host and options", "postgres://db?a=b", "postgres://db?a=b"],
    [
      "several hosts, which share user, password, database and options",
      "postgres://kurs:sesame@one:5432,two,192.0.2.7:5434/kurs?sslmode=require",
      "postgres://kurs:sesame@one:5432/kurs?sslmode=require",
      "postgres://kurs:sesame@two/kurs?sslmode=require",
      "postgres://kurs:sesame@192.0.2.7:5434/kurs?sslmode=require",
    ],
    [
      "a comma and a colon in the password, which separate no hosts",
      "postgres://kurs:a,b:c@one,two/kurs",
      "postgres://kurs:a,b:c@one/kurs",
      "postgres://kurs:a,b:c@two/kurs",
    ],
    [
      "the option host, with one port for all",
      "postgres://kurs@/kurs?host=one,::1&port=5433&sslmode=require",
      "postgres://kurs@one:5433/kurs?sslmode=require",
      "postgres://kurs@[::1]:5433/kurs?sslmode=require",
    ],
  ];

  for (const [what, text, ...expected] of urls) {
    test(`a URL may have ${what}`, () => {
      assert.deepEqual(urlsOf(text), expected);
    });
  }

  test("a host is named with its port, without user and options", () => {
    for (const [text, ...names] of [
      ["postgres://kurs:sesame@db.example.org:5433/kurs?sslmode=require", "db.example.org:5433"],
      ["postgres://one:5432,two,192.0.2.7:5434/kurs", "one:5432", "two", "192.0.2.7:5434"],
      ["postgres://[::1]:5432/kurs", "[::1]:5432"],
      ["postgres://[2001:db8::1],[2001:db8::2]:6/kurs", "[2001:db8::1]", "[2001:db8::2]:6"],
      ["postgres:///kurs?host=one,/run&port=5433,5434", "one:5433", "/run:5434"],
    ]) {
      assert.deepEqual(namesOf(text ?? ""), names);
    }
  });

  test("the directory of a Unix socket is accepted in libpq's forms, with user and database", () => {
    const url = "postgres://kurs:sesame@/kurs?host=%2Frun%2Fpostgresql";
    for (const text of [
      "postgres://kurs:sesame@/kurs?host=/run/postgresql",
      "postgres://kurs:sesame@localhost/kurs?host=/run/postgresql",
      "postgres://kurs:sesame@%2Frun%2Fpostgresql/kurs",
    ]) {
      assert.deepEqual(parseDatabaseUrl(text), [{ name: "/run/postgresql", url }], text);
    }
    const withPort = "postgres:///kurs?host=%2Frun%2Fpostgresql&port=5433";
    assert.deepEqual(parseDatabaseUrl("postgres:///kurs?host=/run/postgresql&port=5433"), [
      { name: "/run/postgresql:5433", url: withPort },
    ]);
  });

  test("a redacted URL has no passwords, in the form that psql accepts", () => {
    for (const [text, shown] of [
      ["postgres://kurs:sesame@one,two:5433/kurs", "postgres://kurs@one,two:5433/kurs"],
      [
        "postgres://kurs:sesame@/kurs?host=/run/postgresql&password=sesame&sslpassword=sesame",
        "postgres://kurs@/kurs?host=%2Frun%2Fpostgresql",
      ],
      ["postgres:///k?host=/run&options=-c%20a=b", "postgres:///k?options=-c%20a%3Db&host=%2Frun"],
    ] as const) {
      assert.equal(redactDatabaseUrl(parseDatabaseUrl(text) ?? []), shown);
    }
  });

  test("the displayed name contains no part of the password", () => {
    for (const password of "sesame ses%40ame ses,ame ses:ame ses@ame s@e@same 42/ame".split(" ")) {
      const names = namesOf(`postgres://kurs:${password}@db.example.org:5432,two/kurs`) ?? [];
      assert.doesNotMatch(names.join(), /se|me|@/, password);
    }
  });

  const invalidUrls = [
    ["an empty text", ""],
    ["a bare name", "localhost"],
    ["another kind of database", "mysql://localhost/kurs"],
    ["another scheme with the same ending", "xpostgres://localhost/kurs"],
    ["one slash", "postgres:/localhost/kurs"],
    ["a slash in the password", "postgres://kurs:sesame/42@db.example.org/kurs"],
    ["no slash", "postgres:localhost"],
    ["no host", "postgres:///kurs"],
    ["a user without a host", "postgres://kurs@/kurs"],
    ["a comma at the end", "postgres://one,/kurs"],
    ["a comma at the beginning", "postgres://,one/kurs"],
    ["two commas", "postgres://one,,two/kurs"],
    ["an empty option host", "postgres:///kurs?host="],
    ["a non-numeric port of a socket", "postgres:///kurs?host=/run&port=two"],
    ["a directory with an incomplete escape", "postgres://%2Frun%2/kurs"],
    ["a non-numeric port", "postgres://one:two/kurs"],
    ["a port beyond 65535", "postgres://one:65536/kurs"],
    ["one invalid port of several", "postgres://one:5432,two:port/kurs"],
    ["a space in the host", "postgres://one two/kurs"],
    ["a space before the host", "postgres://one, two/kurs"],
    ["text around it", " postgres://one/kurs"],
    ["a line break", "postgres://one/kurs\npostgres://two/kurs"],
    ["brackets that do not close", "postgres://[::1/kurs"],
  ] as const;

  for (const [what, text] of invalidUrls) {
    test(`${what} is not a database URL`, () => {
      assert.equal(parseDatabaseUrl(text), undefined);
    });
  }
});
