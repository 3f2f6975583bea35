import assert from "node:assert/strict";
import { test } from "node:test";
import type { SettingName } from "../../../src/app/settings.ts";
import { problemsOf } from "./problems.ts";

// Each value alone. That a start reports all of them at once, test/service/start.test.ts shows.

/** What a setting wants, and values that it rejects and shows. */
const shown: readonly (readonly [name: SettingName, want: string, ...values: string[]])[] = [
  ["PORT", "must be a whole number from 0 to 65535", "abc", "-1", "65536", "0x50", "１２"],
  ["HISTORY_DAYS", "must be a whole number from 1 to 36500", "0", "36501", "1.5", "ten", "-1"],
  ["BACKUP_KEEP", "must be a whole number from 1 to 10000", "0"],
  ["RATE_MAX_JUMP", "must be a number above 0, such as 0.5", "much", "0"],
  ["RATE_MAX_DISAGREEMENT", "must be a number above 0, such as 0.02", "much", "0", "-1", "2%"],
  ["BACKUP_SCHEDULE", 'must be a cron pattern such as "0 4 * * *"', "nightly", "61 4 * * *"],
  ["BACKUP_SCHEDULE", 'must be a cron pattern such as "0 4 * * *"', "* * * * * *"],
  [
    "MAIL_FROM",
    "must be a sender such as Kurs <kurs@example.org>",
    ...["Kurs", "<>", "kurs@", "ada@example.org, eve@example.org", "Kurs <kurs@example.org"],
    ...["Kurs <kurs@example.org> of Berlin", "kurs@example.org>", '"a\x01b"@example.org'],
    ...["Kurs\r\nBcc: x@evil.example <kurs@example.org>", "Kurs\n<kurs@example.org>"],
    ...["Kurs\x1b[2J <kurs@example.org>", 'Kurs <"a\x7fb"@example.org>'],
    "Kurs <kurs@example.org\r\nBcc: x@evil.example>",
  ],
  [
    "TRUST_PROXY",
    "must be addresses or networks such as 10.0.0.0/8",
    ...["proxy", "10.0.0.0/33", "::1/129", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/255.0.0.0"],
  ],
  [
    "ALLOWED_ORIGINS",
    "must be origins such as https://app.example.org",
    ...["*", "null", "app.example.org", "localhost:3000", "//app.example.org", "file:///home"],
    ...["https://app.example.org/", "https://app.example.org/page", "https://app.example.org?page"],
    ...["https://APP.example.org", "https://app.example.org:443", "https://ada@app.example.org"],
    ...["https://app.example.org https://b.example.org", "https://*.example.org"],
    "ftp://app.example.org",
  ],
];

// `::ffff:0:0/96` is all of IPv4 in IPv6 form.
for (const network of ["0.0.0.0/0", "::/0", "::ffff:0:0/96", "::ffff:10.0.0.0/96", "::1%lo/0"]) {
  test(`TRUST_PROXY ${network} is invalid, because everybody is in it`, () => {
    assert.deepEqual(problemsOf({ TRUST_PROXY: `loopback,${network}` }), [
      `TRUST_PROXY: must be your proxies alone, not "${network}": a network of all addresses ` +
        "trusts every client",
    ]);
  });
}

test("TRUST_PROXY accepts networks of IPv6 and of IPv4 in IPv6 form", () => {
  const networks = "::ffff:10.0.0.0/104,fd00::/8,fe80::1%eth0/64,::ffff:0:0/97,128.0.0.0/1";
  assert.deepEqual(problemsOf({ TRUST_PROXY: networks }), []);
});

for (const [name, want, ...values] of shown) {
  for (const value of values) {
    test(`${name} ${JSON.stringify(value)} is invalid`, () => {
      assert.deepEqual(problemsOf({ [name]: value }), [
        `${name}: ${want}, not ${JSON.stringify(value)}`,
      ]);
    });
  }
}

test("of several values in a setting the invalid ones are reported, one by one", () => {
  const origins = ["https://good.example.org", "*", "http://localhost:3000", "null"].join(" , ");
  const want = "ALLOWED_ORIGINS: must be origins such as https://app.example.org, not";
  assert.deepEqual(problemsOf({ ALLOWED_ORIGINS: origins }), [`${want} "*"`, `${want} "null"`]);
});

const SMTP = /^SMTP_URL: must be an address such as smtps:\/\/user:password@\S+$/;
const TLS = /^SMTP_URL: must have one of requireTLS and ignoreTLS, once, and true/;
const DATABASE = /^DATABASE_URL: must be an address such as postgres:\/\/\S+$/;
const PUBLIC = /^PUBLIC_URL: must be an address without a name or password, which everybody sees$/;

/**
 * Values that may have a password, and so are not shown. Every invalid address of a database:
 * test/platform/storage/settings.test.ts.
 */
const secret: readonly (readonly [what: string, value: string, problem: RegExp])[] = [
  ["of another protocol", "http://kurs:sesame-42@mail.example.org", SMTP],
  ["without a host", "smtp://", SMTP],
  ["without its slashes", "smtp:kurs:sesame-42@mail.example.org", SMTP],
  ["that is not a URL", "sesame-42", SMTP],
  ["with an invalid port", "smtp://kurs:sesame-42@mail.example.org:port", SMTP],
  ["with a slash in the password", "smtp://kurs:sesame/42@mail.example.org", SMTP],
  ["with an invalid host", "smtp://kurs:sesame-42@mail%20example.org", SMTP],
  ["with requireTLS=no", "smtp://kurs:sesame-42@mail.example.org?requireTLS=no", TLS],
  ["with an empty ignoreTLS", "smtp://mail.example.org?ignoreTLS=", TLS],
  ["with both TLS options", "smtp://mail.example.org?requireTLS=true&ignoreTLS=true", TLS],
  ["of another kind", "mysql://kurs:sesame-42@db.example.org/kurs", DATABASE],
  ["with a slash in the password", "postgres://kurs:sesame/42@db.example.org/kurs", DATABASE],
  ["with a password", "https://kurs:sesame-42@rates.example.org", PUBLIC],
];

for (const [what, value, problem] of secret) {
  const name = /[A-Z_]+/.exec(problem.source)?.[0] ?? "";
  test(`${name} ${what} is invalid, and is not shown`, () => {
    const [only = "", ...others] = problemsOf({ [name]: value });
    assert.match(only, problem);
    assert.doesNotMatch(only, /sesame/);
    assert.deepEqual(others, []);
  });
}

const combined = [
  [
    { BACKUP_SCHEDULE: "0 0 31 2 *" },
    /^BACKUP_SCHEDULE: no date matches "0 0 31 2 \*": it must be/,
  ],
  [
    { BACKUP_SCHEDULE: "0 4 * * *", DATABASE_URL: "postgres://db.example.org/kurs" },
    /^BACKUP_SCHEDULE: unset it; PostgreSQL's own tools back up/,
  ],
  [
    { PORT: "9000", METRICS_PORT: "9000" },
    /^METRICS_PORT: must be another port than PORT, .* 9000/,
  ],
  [{ RATE_SOURCES: "ecb,bank" }, /^RATE_SOURCES: there is no bank; there are ecb, cnb, nbp, /],
  [{ RATE_SOURCES: "ecb,cnb,ecb" }, /^RATE_SOURCES: must name each source once$/],
] as const;

for (const [environment, problem] of combined) {
  test(`${JSON.stringify(environment)} is invalid`, () => {
    const [only = "", ...others] = problemsOf(environment);
    assert.match(only, problem);
    assert.deepEqual(others, []);
  });
}
