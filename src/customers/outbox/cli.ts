import type { Command } from "commander";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  type OutputOptions,
} from "../../platform/cli/command.ts";
import { formatList } from "../../platform/cli/output.ts";
import { isMailable } from "../../platform/shared/text/email.ts";
import { MailError, type Mailer } from "./mailer.ts";
import type { MailRecord, MailStore } from "./store.ts";

/** A server that has not replied to a test by then will not reply. */
const TEST_TIMEOUT_MS = 60_000;

export interface MailCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{ readonly mails: MailStore }>;
  /** Opens the configured mailer. @throws {ConfigError} */
  readonly openMailer: () => Mailer;
}

/** Adds `kurs mail …`. */
export function mailCommands(program: Command, deps: MailCommandDeps): void {
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
    .action((options: ListOptions) => listMails(deps, options));

  mail
    .command("test")
    .description("send a test mail with SMTP_URL and MAIL_FROM, and show the server's reply")
    .argument("<address>")
    .addHelpText("after", testExamples)
    .action((address: string) => testMail(deps, address));
}

const testExamples = `
Without SMTP_URL the mail is written to a file in DATA_DIR/mail.

Example:
  $ SMTP_URL=smtps://user:password@mail.example.org kurs mail test ada@example.org`;

interface ListOptions extends OutputOptions {
  readonly all?: boolean;
}

async function listMails({ openStore, print }: MailCommandDeps, options: ListOptions) {
  const withDelivered = options.all ?? false;
  await using store = await openStore();
  const text = formatList(await store.mails.list({ withDelivered }), options, {
    toJson: mailJson,
    columns: [
      ["CREATED", ({ createdAt }) => createdAt],
      ["KIND", ({ kind }) => kind],
      ["TO", ({ email }) => email],
      ["STATE", mailState],
      ["TRIES", ({ attempts }) => attempts, "right"],
      ["NEXT TRY", ({ nextAttemptAt }) => nextAttemptAt ?? ""],
      ["LAST ERROR", ({ lastError }) => lastError ?? ""],
    ],
    none: withDelivered ? "There are no mails." : "No mail waits, and none was given up.",
  });
  print(text);
}

async function testMail({ openMailer, origin, print }: MailCommandDeps, typed: string) {
  const email = typed.trim();
  // Loaded only here: it takes 7 MB.
  const { IsEmail } = await import("typebox/format");
  if (!IsEmail(email) || !isMailable(email)) {
    throw new CommandError(`${JSON.stringify(email)} is not an email address`, 2);
  }
  using mailer = openMailer();
  const { at: createdAt, newId } = origin();
  const mail = { id: newId(), kind: "test", email, link: undefined, createdAt } as const;
  try {
    print(`sent to ${email}: ${await mailer.send(mail, AbortSignal.timeout(TEST_TIMEOUT_MS))}`);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    throw new CommandError(`not sent to ${email}: ${error.message}`);
  }
}

/** The state of a mail. */
function mailState({ deliveredAt, givenUpAt }: MailRecord) {
  if (deliveredAt !== undefined) return "delivered";
  return givenUpAt === undefined ? "waiting" : "given up";
}

function mailJson(mail: MailRecord) {
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
