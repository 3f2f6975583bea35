import type { Command } from "commander";
import { IsEmail } from "typebox/format";
import type { CommandIo, OpenStore } from "../cli/command.ts";
import { CommandError, type OutputOptions } from "../cli/command.ts";
import { table } from "../cli/output.ts";
import { isMailable } from "../shared/email.ts";
import { timestamp } from "../shared/instant.ts";
import type { Mailer } from "./mailer.ts";
import { MailError } from "./mailer.ts";
import type { MailRecord, MailStore } from "./store.ts";

/** A server that has not replied to a test by then will not reply. */
const TEST_TIMEOUT_MS = 60_000;

export interface MailCommandUses extends CommandIo {
  readonly openStore: OpenStore<{ readonly mails: MailStore }>;
  /** Opens the configured mailer. @throws {ConfigError} */
  readonly openMailer: () => Promise<Mailer>;
  /** A UUIDv7. */
  readonly newId: () => string;
}

/** Adds `kurs mail …`. */
export function mailCommands(program: Command, uses: MailCommandUses): void {
  const mail = program
    .command("mail")
    .description("show the outbox, and test delivery")
    .addHelpText("after", "\nExample:\n  $ kurs mail test ada@example.org");

  mail
    .command("list")
    .description("show mails that wait or were given up, with the last error")
    .option("--all", "show those delivered in the last 30 days, too")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs mail list\n  $ kurs mail list --all --json")
    .action((options: ListOptions) => listMails(uses, options));

  mail
    .command("test")
    .description("send a test mail with SMTP_URL and MAIL_FROM, and show the server's reply")
    .argument("<address>")
    .addHelpText("after", testExamples)
    .action((address: string) => testMail(uses, address));
}

const testExamples = `
Without SMTP_URL the mail is written to a file in DATA_DIR/mail.

Example:
  $ SMTP_URL=smtps://user:password@mail.example.org kurs mail test ada@example.org`;

interface ListOptions extends OutputOptions {
  readonly all?: boolean;
}

async function listMails({ openStore, print }: MailCommandUses, { all, json }: ListOptions) {
  await using store = await openStore();
  const mails = await store.mails.list({ withDelivered: all ?? false });
  if (json) return print(JSON.stringify(mails.map(mailJson), undefined, 2));
  if (mails.length === 0) {
    return print(all ? "There are no mails." : "No mail waits, and none was given up.");
  }
  const columns = [
    { heading: "CREATED" },
    { heading: "KIND" },
    { heading: "TO" },
    { heading: "STATE" },
    { heading: "TRIES", align: "right" },
    { heading: "NEXT TRY" },
    { heading: "LAST ERROR" },
  ] as const;
  const rows = mails.map((mail) => [
    mail.createdAt,
    mail.kind,
    mail.email,
    mailState(mail),
    String(mail.attempts),
    mail.nextAttemptAt ?? "",
    mail.lastError ?? "",
  ]);
  print(table(columns, rows));
}

async function testMail({ openMailer, clock, newId, print }: MailCommandUses, typed: string) {
  const email = typed.trim();
  if (!IsEmail(email) || !isMailable(email)) {
    throw new CommandError(`${JSON.stringify(email)} is not an email address`, 2);
  }
  using mailer = await openMailer();
  const createdAt = timestamp(clock.nowMs());
  const mail = { id: newId(), kind: "test", email, link: undefined, createdAt } as const;
  try {
    print(`sent to ${email}: ${await mailer.send(mail, AbortSignal.timeout(TEST_TIMEOUT_MS))}`);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    throw new CommandError(`not sent to ${email}: ${error.message}`);
  }
}

/** The state of a mail. */
export function mailState({ deliveredAt, givenUpAt }: MailRecord) {
  if (deliveredAt !== undefined) return "delivered";
  return givenUpAt === undefined ? "waiting" : "given up";
}

export function mailJson(mail: MailRecord) {
  return {
    id: mail.id,
    kind: mail.kind,
    email: mail.email,
    state: mailState(mail),
    created_at: mail.createdAt,
    attempts: mail.attempts,
    next_attempt_at: mail.nextAttemptAt ?? null,
    last_error: mail.lastError ?? null,
    delivered_at: mail.deliveredAt ?? null,
    given_up_at: mail.givenUpAt ?? null,
  };
}
