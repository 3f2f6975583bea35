import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { IsEmail } from "typebox/format";
import { readConfig } from "../../../src/app/config.ts";
import { MailError } from "../../../src/customers/outbox/mailer.ts";
import { createSmtpMailer } from "../../../src/customers/outbox/transport/smtp.ts";
import { sourceNames } from "../../../src/rates/sources/fetching/registry.ts";
import { assertFailure } from "../../support/assertions.ts";
import { fc } from "../../support/properties.ts";
import { startService } from "../../support/service.ts";
import { mailerTo, never, newMail, TOKEN } from "./outgoing.ts";
import { portOf } from "./tcp-recorder.ts";

const HEADERS = "Auto-Submitted Content-Type Date From MIME-Version Message-ID Subject To".split(
  " ",
);

interface RecordedMail {
  readonly commands: string[];
  readonly content: string[];
}

/** An SMTP server that accepts every address, so that it hides no mistake of the mailer. */
function permissiveServer(onMail: (mail: RecordedMail) => void) {
  return createServer((socket: Socket) => {
    let [rest, commands, content]: [string, string[], string[] | undefined] = ["", [], undefined];
    const replyTo = (line: string): string | undefined => {
      if (content !== undefined && line !== ".") {
        content.push(line);
        return undefined;
      }
      if (content !== undefined) {
        onMail({ commands, content });
        [commands, content] = [[], undefined];
        return "250 taken";
      }
      if (/^EHLO /.test(line)) return "250-here\r\n250 SMTPUTF8";
      commands.push(line);
      if (line === "DATA") content = [];
      return line === "DATA" ? "354 go on" : "250 ok";
    };
    socket.setEncoding("utf8").on("error", () => undefined);
    socket.write("220 here ESMTP\r\n");
    socket.on("data", (text: string) => {
      const lines = (rest + text).split("\r\n");
      rest = lines.pop() ?? "";
      for (const reply of lines.map(replyTo)) {
        if (reply !== undefined) socket.write(`${reply}\r\n`);
      }
    });
  });
}

const arrived: RecordedMail[] = [];
const server = permissiveServer((mail) => arrived.push(mail));
const url = `smtp://127.0.0.1:${await portOf(server)}`;
const mailer = mailerTo(url);
after(() => {
  mailer[Symbol.dispose]();
  server.close();
});

/** Header lines, each unfolded. */
function headersOf({ content }: RecordedMail): string[] {
  const lines = content.slice(0, content.indexOf(""));
  return lines
    .join("\r\n")
    .replaceAll(/\r\n(?=[ \t])/g, "")
    .split("\r\n");
}

/** Asserts that a mail went only to the given address, exactly as written, with our headers. */
function assertSentTo(email: string, mail: RecordedMail | undefined): void {
  assert.ok(mail !== undefined, `nothing arrived for ${email}`);
  const [from, ...rest] = mail.commands;
  assert.match(from ?? "", /^MAIL FROM:<kurs@example\.org>(?: SMTPUTF8)?$/);
  assert.deepEqual(rest, [`RCPT TO:<${email}>`, "DATA"]);
  const headers = headersOf(mail);
  assert.deepEqual(headers.map((line) => line.split(":")[0]).sort(), HEADERS);
  const to = headers.find((line) => line.startsWith("To: "))?.slice("To: ".length);
  assert.ok(to === email || to === `<${email}>`, `To: ${to}`);
}

/** Asserts that a mail to an address arrives only there or nowhere. */
async function assertOnlySentTo(email: string): Promise<void> {
  arrived.length = 0;
  try {
    await mailer.send(newMail(email), never);
  } catch (error) {
    assert.ok(error instanceof MailError, String(error));
    assert.ok(!error.message.includes(TOKEN));
    assert.deepEqual(arrived, []);
    return;
  }
  assert.equal(arrived.length, 1);
  assertSentTo(email, arrived[0]);
}

/** Local parts that the email format allows and that parsers may misread. */
const trickyLocalParts = [
  ...['"a, b@evil.example"', '"a; b@evil.example"', '"<x@evil.example>"'],
  ...['"a <x@evil.example>, c"', '"x@evil.example> notify=never"', '"a> size=1"'],
  ...['"\\<ada\\>"', '" ada "', '"ada "', '"\\ ada"', '"\u00a0ada"', '" "', '""', '"a b"'],
  ...['"ada@evil.example"', '"@evil.example:ada"', '"friends: x@evil.example;"'],
  ...['"\\"@evil.example"', '"a\\\\b"', '"a\\@b"', '"(comment)ada"'],
  ...['"=?utf-8?q?x=40evil.example?="', '"ünï汇"', '"a\u2028bcc: x@evil.example"'],
  ...['"a\u0085bcc: x@evil.example"', "=?x?q?y?=", "%s", "a'b"],
];

const domains = ["[127.0.0.1]", "[ipv6:::1]", "localhost", "xn--mnchen-3ya.example", "1.2.3"];

for (const email of [
  ...trickyLocalParts.map((localPart) => `${localPart}@example.org`),
  ...domains.map((domain) => `ada@${domain}`),
]) {
  test(`a mail to ${JSON.stringify(email)} reaches only that address or none`, async () => {
    assert.ok(IsEmail(email), "the format rejects it, so it cannot register");
    await assertOnlySentTo(email);
  });
}

test("a mail to any address that the format allows reaches only that address or none", async () => {
  const letters = fc.constantFrom(..."ab@<>,;:.()[]=?% \u00a0üß汇".split(""));
  const escaped = fc.constantFrom(...'\\"<>@, a'.split("")).map((letter) => `\\${letter}`);
  const quoted = fc.string({ unit: fc.oneof(letters, escaped), maxLength: 20 });
  const atom = fc.string({ unit: fc.constantFrom(..."ab.!#$%&'*+/=?^_`{|}~-".split("")) });
  const localPart = fc.oneof({ weight: 4, arbitrary: quoted.map((text) => `"${text}"`) }, atom);
  const domain = fc.constantFrom("example.org", "[127.0.0.1]", "a-1.example");
  const email = fc
    .tuple(localPart, domain)
    .map((parts) => parts.join("@"))
    .filter((text) => text.length <= 254 && IsEmail(text));
  await fc.assert(fc.asyncProperty(email, assertOnlySentTo), { numRuns: 300 });
});

const forbidden = [
  ...["\r\nBcc: x@evil.example", "\n", "\r", "\0", "\x01", "\t", "\x1b", "\x7f"].map(
    (text) => `"a${text}b"@example.org`,
  ),
  "ada\r\n@example.org",
  "ada@example.org\r\nBcc: x@evil.example",
  "ada@example.org\0",
];

test("the server rejects control characters in an email and stores and mails nothing", async () => {
  await using service = await startService();
  for (const email of forbidden) {
    for (const path of ["register", "verification/resend", "password-reset"]) {
      const json = { email, password: "correct horse battery" };
      const answer = await service.post(`/v1/auth/${path}`, { json });
      assertFailure(answer, 400, "invalid_request", /\bemail\b/);
    }
  }
  for (const table of ["accounts", "mails", "mail_tokens"]) {
    assert.deepEqual(service.query(`SELECT * FROM ${table}`), [], table);
  }
});

for (const [sender, header] of [
  [
    "Bcc: x@evil.example, Kurs <kurs@example.org>",
    '"Bcc: x@evil.example, Kurs" <kurs@example.org>',
  ],
  ['"Kurs" <kurs@example.org>', "Kurs <kurs@example.org>"],
  ["kurs@example.org", "kurs@example.org"],
] as const) {
  test(`MAIL_FROM ${sender} is a single sender, in the envelope and in the header`, async () => {
    const { mailFrom } = readConfig(sourceNames, { MAIL_FROM: sender });
    using sending = createSmtpMailer(url, { from: mailFrom, publicUrl: () => "" });
    arrived.length = 0;

    await sending.send(newMail(), never);

    const [mail] = arrived;
    assert.ok(mail !== undefined);
    assertSentTo("ada@example.org", mail);
    assert.ok(headersOf(mail).includes(`From: ${header}`), mail.content.join("\n"));
  });
}
