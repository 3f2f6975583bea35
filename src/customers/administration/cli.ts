import type { Command } from "commander";
import type { AuditStore } from "../../platform/audit/store.ts";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  unknownAccount,
} from "../../platform/cli/command.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { counted } from "../../platform/shared/text/counted.ts";
import { normalizeEmail } from "../../platform/shared/text/email.ts";
import type { UsageStore } from "../billing/store.ts";
import { PASSWORD_RESET_LIFETIME_MS } from "../mailed-links/rules.ts";
import type { AdministrationStore } from "./administration.ts";
import { exportAccount } from "./export.ts";

interface AdministrationStores {
  readonly administration: AdministrationStore;
  readonly audit: AuditStore;
  readonly usage: UsageStore;
}

export interface AdministrationCommandDeps extends CommandIo {
  readonly openStore: OpenStore<AdministrationStores>;
  readonly secrets: Secrets;
  /** Where people reach the console. @throws {ConfigError} */
  readonly publicUrl: () => string;
  /** Prints a question and reads one line of stdin; "" at its end. */
  readonly ask: (question: string) => Promise<string>;
}

/** Adds the commands of `kurs accounts …` that act on one account. */
export function administrationCommands(accounts: Command, deps: AdministrationCommandDeps): void {
  accounts
    .command("suspend")
    .description("reject an account's keys, sessions and log-ins from its next request on")
    .argument("<email>")
    .addHelpText("after", suspendHelp)
    .action((email: string) => setSuspended(deps, email, "suspend"));

  accounts
    .command("resume")
    .description("accept a suspended account's keys and sessions again")
    .argument("<email>")
    .addHelpText("after", "\nExample:\n  $ kurs accounts resume ada@example.org")
    .action((email: string) => setSuspended(deps, email, "resume"));

  accounts
    .command("sessions")
    .description("end an account's sessions")
    .addHelpText("after", "\nExample:\n  $ kurs accounts sessions end ada@example.org")
    .command("end")
    .description("end every session of an account; its keys stay valid")
    .argument("<email>")
    .addHelpText("after", "\nExample:\n  $ kurs accounts sessions end ada@example.org")
    .action((email: string) => endSessions(deps, email));

  accounts
    .command("reset-link")
    .description("print a link that sets a new password, for an owner whom no mail reaches")
    .argument("<email>")
    .addHelpText("after", resetLinkHelp)
    .action((email: string) => createResetLink(deps, email));

  accounts
    .command("export")
    .description("print everything that is stored about an account, as JSON")
    .argument("<email>")
    .addHelpText("after", exportHelp)
    .action((email: string) => printExport(deps, email));

  accounts
    .command("delete")
    .description("delete an account, after its email was typed again")
    .argument("<email>")
    .option("--yes", "do not ask")
    .addHelpText("after", deleteHelp)
    .action((email: string, options: { readonly yes?: boolean }) =>
      deleteAccount(deps, email, options.yes === true),
    );
}

const suspendHelp = `
Nothing is lost: kurs accounts resume reverses it. Rejected reads are not charged.

Example:
  $ kurs accounts suspend ada@example.org`;

const resetLinkHelp = `
The link works once, within an hour, and marks the email as verified. Give it to the account's owner
alone. Its address begins with PUBLIC_URL.

Example:
  $ kurs accounts reset-link ada@example.org`;

const exportHelp = `
Digests of the password, keys, sessions and links are left out.

Example:
  $ kurs accounts export ada@example.org > ada.json`;

const kept =
  "For billing Kurs keeps its id, plan, quota, customer number, times, grants with their\n" +
  "references, and the units by month and by key's id and day; in the audit log its events,\n" +
  "without addresses and details.";

const deleteHelp = `
Its keys, sessions and links are rejected from the next request on, and its email can register
again. ${kept}
Of an email that was only invited, it withdraws the invitations.

Examples:
  $ kurs accounts delete ada@example.org
  $ kurs accounts delete ada@example.org --yes`;

async function setSuspended(
  { openStore, origin, print }: AdministrationCommandDeps,
  typed: string,
  verb: "suspend" | "resume",
): Promise<void> {
  const email = normalizeEmail(typed);
  await using store = await openStore();
  const outcome = await store.administration[verb](email, origin());
  if (outcome === undefined) throw unknownAccount(email);
  print(`${email} ${outcomeOf[verb][outcome]}`);
}

const outcomeOf = {
  suspend: { changed: "is suspended", unchanged: "is suspended already" },
  resume: { changed: "is active again", unchanged: "is not suspended" },
};

async function endSessions(deps: AdministrationCommandDeps, typed: string): Promise<void> {
  const email = normalizeEmail(typed);
  await using store = await deps.openStore();
  const sessions = await store.administration.endSessions(email, deps.origin());
  if (sessions === undefined) throw unknownAccount(email);
  deps.print(`${email}: ${counted(sessions, "session")} ended`);
}

async function createResetLink(deps: AdministrationCommandDeps, typed: string): Promise<void> {
  const { openStore, origin: originNow, publicUrl, secrets, print, printError } = deps;
  const email = normalizeEmail(typed);
  const token = secrets.secret();
  const origin = originNow();
  const expiresAt = timestamp(Date.parse(origin.at) + PASSWORD_RESET_LIFETIME_MS);
  const address = publicUrl();
  await using store = await openStore();
  const issued = { tokenHash: secrets.hash(token), expiresAt };
  const account = await store.administration.createResetToken(email, issued, origin);
  if (account === undefined) throw unknownAccount(email);
  print(`${address}/reset#token=${token}`);
  printError(`It works once, until ${expiresAt}. Give it to the owner of ${email} alone.`);
  if (account.isSuspended)
    printError(`${email} is suspended: nobody can log in until it is resumed.`);
}

async function deleteAccount(deps: AdministrationCommandDeps, typed: string, isSure: boolean) {
  const { openStore, origin, ask, print } = deps;
  const email = normalizeEmail(typed);
  await using store = await openStore();
  const contents = await store.administration.contents(email, origin().at);
  if (contents === undefined) {
    const invitations = await store.administration.withdrawInvitations(email, origin());
    if (invitations === 0) throw unknownAccount(email);
    print(`${email} has no account; ${counted(invitations, "invitation")} withdrawn`);
    return;
  }
  if (!isSure) {
    const { activeKeys, units } = contents;
    print(
      `${email} has ${counted(activeKeys, "active key")} and ${counted(units, "unit")} charged.`,
    );
    const typed = await ask("Type its email to delete it: ");
    if (normalizeEmail(typed) !== email) {
      throw new CommandError("nothing was deleted: type the account's email, or add --yes");
    }
  }
  if (!(await store.administration.delete(email, origin()))) throw unknownAccount(email);
  print(`${email} is deleted; its id was ${contents.id}\n${kept}`);
}

async function printExport(deps: AdministrationCommandDeps, typed: string): Promise<void> {
  const { openStore, clock, origin, write } = deps;
  const email = normalizeEmail(typed);
  await using store = await openStore();
  const { id: accountId = "" } = (await store.administration.contents(email, origin().at)) ?? {};
  const pieces = await exportAccount({ store, clock }, accountId, origin());
  if (pieces === undefined) throw unknownAccount(email);
  for await (const piece of pieces) await write(piece);
  await store.audit.record("account.exported", origin(), { accountId });
}
