import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";
import { createMailer } from "../../../src/customers/outbox/transport/create-mailer.ts";
import { recordFileCalls } from "../../support/file-calls.ts";
import { mailsIn, tokenOf } from "../../support/mails.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { never, newMail, PUBLIC_URL, TOKEN, toFailure } from "./outgoing.ts";

const MAIL = newMail();

/** The mailer of a service without an SMTP server. */
const fileMailer = (dataDirectory: string, name = "Kurs") =>
  createMailer(
    { smtpUrl: undefined, dataDirectory, mailFrom: { name, address: "kurs@example.org" } },
    () => PUBLIC_URL,
  );

const permissions = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test("a mail becomes a file with sender, recipient and content, which only its owner can read", async () => {
  await using directory = await temporaryDirectory();
  using mailer = fileMailer(directory.path);

  const file = await mailer.send(MAIL, never);

  assert.ok(file.startsWith(join(directory.path, "mail")), file);
  assert.match(file, /\.eml$/);
  assert.equal(await permissions(file), "600");
  assert.equal(await permissions(join(directory.path, "mail")), "700");
  const text = await readFile(file, "utf8");
  assert.match(text, /\nMIME-Version: 1\.0\n/);
  // The link is one line, as people copy it.
  const link = `${PUBLIC_URL}/verify#token=${TOKEN}`;
  assert.ok(link.length > 76, "a shorter link would not be folded");
  assert.ok(text.split("\n").includes(link), text);
  assert.ok(text.split("\n").includes(`<p><a href="${link}">Confirm this address</a></p>`));
  assert.ok(!text.includes("\r"), "a line ends with a carriage return");
  const [mail, ...rest] = await mailsIn(directory.path);
  assert.ok(mail !== undefined);
  assert.deepEqual(rest, []);
  assert.deepEqual(mail.from, { name: "Kurs", address: "kurs@example.org" });
  assert.deepEqual(mail.to, [{ name: "", address: "ada@example.org" }]);
  assert.equal(mail.messageId, `<${MAIL.id}@example.org>`);
  assert.equal(mail.date, "2026-11-21T12:00:00.000Z");
  assert.equal(mail.subject, "Confirm your email for Kurs");
  assert.equal(tokenOf(mail), TOKEN);
  const [autoSubmitted] = mail.headers.filter(({ key }) => key === "auto-submitted");
  assert.equal(autoSubmitted?.value, "auto-generated");
});

for (const name of ["Kürs für alle", "汇率 💱", 'Kurs, the "service"', "Kurs: rates; exact", ""]) {
  test(`the sender name ${JSON.stringify(name)} is encoded without loss`, async () => {
    await using directory = await temporaryDirectory();
    using mailer = fileMailer(directory.path, name);

    await mailer.send(MAIL, never);

    const [mail] = await mailsIn(directory.path);
    assert.deepEqual(mail?.from, { name, address: "kurs@example.org" });
  });
}

test("a mail that is sent again, also after a crash, is one whole file, and no partial file remains", async () => {
  await using directory = await temporaryDirectory();
  using mailer = fileMailer(directory.path);

  const first = await mailer.send(MAIL, never);
  const second = await mailer.send(MAIL, never);
  const other = await mailer.send(newMail(), never);

  assert.equal(second, first);
  assert.notEqual(other, first);
  // What a crash truncated.
  await writeFile(`${first}.part`, "From: Ku");
  await writeFile(first, "");
  await mailer.send(MAIL, never);

  assert.deepEqual((await mailsIn(directory.path)).map(tokenOf), [TOKEN, TOKEN]);
  const names = await readdir(join(directory.path, "mail"));
  assert.deepEqual(names.sort(), [first, other].map((file) => basename(file)).sort());
});

test("a mail file is synced before its rename, and its directory before the mail counts as sent", async () => {
  await using directory = await temporaryDirectory();
  using mailer = fileMailer(directory.path);
  using files = recordFileCalls();

  const file = basename(await mailer.send(MAIL, never));

  assert.deepEqual(files.calls, [`sync ${file}.part`, `rename ${file}.part ${file}`, "sync mail"]);
});

const obstacles = [
  ["a file in the way of the directory", (path: string) => writeFile(join(path, "mail"), "mine")],
  [
    "a directory in the way of the file",
    (path: string) =>
      mkdir(join(path, "mail", `20261121T120000000Z-verification-${MAIL.id}.eml`, "x"), {
        recursive: true,
      }),
  ],
] as const;

for (const [what, prepare] of obstacles) {
  test(`${what} is a temporary failure whose message contains no token`, async () => {
    await using directory = await temporaryDirectory();
    await prepare(directory.path);
    using mailer = fileMailer(directory.path);

    const error = await toFailure(mailer.send(MAIL, never));

    assert.equal(error.isRejected, false);
    assert.ok(error.message.includes(join(directory.path, "mail")), error.message);
  });
}
