import type { Command } from "commander";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  type OutputOptions,
} from "../../platform/cli/command.ts";
import { formatJson, formatList } from "../../platform/cli/output.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { Email } from "../../platform/shared/json-schema.ts";
import {
  EMAIL_LENGTH_MAX,
  EMAIL_TOO_LONG,
  normalizeEmail,
} from "../../platform/shared/text/email.ts";
import { quoted } from "../../platform/shared/text/visible-text.ts";
import type { AccountStore } from "../accounts/store.ts";
import { requirePlan } from "../billing/cli.ts";
import { FREE_PLAN } from "../billing/rules.ts";
import type { PlanStore } from "../billing/store.ts";
import type { MailSecrets } from "../mailed-links/mailed-links.ts";
import { invitationLink, tokenLink } from "../outbox/templates.ts";
import { newAccount, newInvitation } from "./register.ts";
import type { Registration } from "./rules.ts";
import type { InvitationStore } from "./store.ts";

export interface InviteCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{
    readonly accounts: AccountStore;
    readonly invitations: InvitationStore;
    readonly plans: PlanStore;
  }>;
  readonly secrets: MailSecrets;
  /** The settings of this command, which may differ from those of a server. */
  readonly settings: () => {
    readonly registration: Registration;
    readonly smtpUrl: string | undefined;
  };
  /** Where people reach the console. @throws {ConfigError} */
  readonly publicUrl: () => string;
}

interface InviteOptions extends OutputOptions {
  readonly plan: string;
}

/** Adds `kurs accounts invite`, `kurs accounts create` and `kurs accounts invitations`. */
export function inviteCommands(accounts: Command, deps: InviteCommandDeps): void {
  const commands = [
    {
      name: "invite",
      does: "mail an invitation to create an account, valid for 7 days",
      after: inviteExamples,
      run: invite,
    },
    {
      name: "create",
      does: "create an account, and mail its owner a link to choose a password",
      after: createExamples,
      run: createAccount,
    },
  ];
  for (const { name, does, after, run } of commands) {
    accounts
      .command(name)
      .description(does)
      .argument("<email>")
      .option("--plan <plan>", "the plan of the account", FREE_PLAN)
      .option("--json", "print it as JSON")
      .addHelpText("after", after)
      .action((email: string, options: InviteOptions) => run(deps, email, options));
  }
  accounts
    .command("invitations")
    .description("show the invitations that were not used yet and are still valid")
    .option("--json", "print them as JSON")
    .addHelpText("after", invitationsExamples)
    .action((options: OutputOptions) => listInvitations(deps, options));
}

const invitationsExamples = `
An email that was invited again has several: each is valid until one of them is used. To withdraw
those of an email: kurs accounts delete EMAIL.

Examples:
  $ kurs accounts invitations
  $ kurs accounts invitations --json`;

const inviteExamples = `
A running server delivers the mail. Its link opens the page to create an account with this email,
which then counts as verified. The link works once, where REGISTRATION is open or invite. Without
SMTP_URL the command prints the link.

Examples:
  $ kurs accounts invite ada@example.org
  $ kurs accounts invite ada@example.org --plan pro --json`;

const createExamples = `
A running server delivers the mail. Its link is valid for 7 days; "Forgot your password?" sends
another one later. Until the owner has chosen a password, nobody can log in. Works in every mode of
REGISTRATION. Without SMTP_URL the command prints the link.

Examples:
  $ kurs accounts create ada@example.org
  $ kurs accounts create ada@example.org --plan pro --json`;

async function invite(deps: InviteCommandDeps, typed: string, { plan, json }: InviteOptions) {
  const email = await requireEmail(typed);
  if (deps.settings().registration === "closed") {
    throw new CommandError(
      "an invitation has no effect with REGISTRATION=closed: set it to invite, here and for the " +
        "server, or use kurs accounts create",
    );
  }
  await using store = await deps.openStore();
  await requirePlan(store.plans, plan);
  const origin = deps.origin();
  const invitation = newInvitation({ email, plan }, origin.at, deps.secrets);
  if (!(await store.invitations.create(invitation, origin))) throw accountExists(email);
  const { expiresAt } = invitation;
  const link = linkToPrint(deps, (publicUrl) => invitationLink(publicUrl, invitation.token, email));
  if (json) deps.print(formatJson({ email, plan, expires_at: expiresAt, ...link }));
  else {
    const delivery = deliveryOf(link);
    deps.print(`invited ${email} to plan ${plan} until ${expiresAt}; ${delivery}`);
  }
}

/** Without a mail server nobody reads the mail: the operator passes the link on. */
function linkToPrint(
  { settings, publicUrl }: InviteCommandDeps,
  linkAt: (publicUrl: string) => string,
): { readonly link: string } | undefined {
  return settings().smtpUrl === undefined ? { link: linkAt(publicUrl()) } : undefined;
}

function deliveryOf(printed: { readonly link: string } | undefined): string {
  if (printed === undefined) return "a running server delivers the mail";
  return `no mail server is set (SMTP_URL), so give them this link:\n${printed.link}`;
}

async function listInvitations(
  { openStore, clock, print }: InviteCommandDeps,
  options: OutputOptions,
): Promise<void> {
  await using store = await openStore();
  const invitations = await store.invitations.list(timestamp(clock.nowMs()));
  const text = formatList(invitations, options, {
    toJson: ({ email, plan, createdAt, expiresAt }) => ({
      email,
      plan,
      created_at: createdAt,
      expires_at: expiresAt,
    }),
    columns: [
      ["EMAIL", ({ email }) => email],
      ["PLAN", ({ plan }) => plan],
      ["CREATED", ({ createdAt }) => createdAt],
      ["EXPIRES", ({ expiresAt }) => expiresAt],
    ],
    none: "No invitation is pending.",
  });
  print(text);
}

async function createAccount(
  deps: InviteCommandDeps,
  typed: string,
  { plan, json }: InviteOptions,
) {
  const email = await requireEmail(typed);
  await using store = await deps.openStore();
  await requirePlan(store.plans, plan);
  const origin = deps.origin();
  const { account, token } = newAccount({ email, plan }, origin, deps);
  if (!(await store.accounts.create(account, token, origin))) throw accountExists(email);
  const { expiresAt } = token;
  const link = linkToPrint(deps, (publicUrl) => tokenLink(publicUrl, "reset", token.token));
  const { id } = account;
  if (json) deps.print(formatJson({ id, email, plan, expires_at: expiresAt, ...link }));
  else {
    const until = `the link to choose a password works until ${expiresAt}`;
    deps.print(`created ${email} on plan ${plan}; ${until}; ${deliveryOf(link)}`);
  }
}

/** @returns the email in normal form. @throws {CommandError} when register would reject it. */
export async function requireEmail(typed: string): Promise<string> {
  const email = normalizeEmail(typed);
  // Loaded only here: the compiler takes 70 ms.
  const { Compile } = await import("typebox/schema");
  if (Compile(Email).Check(email)) return email;
  const isLong = normalizeEmail(typed).length > EMAIL_LENGTH_MAX;
  const why = isLong ? EMAIL_TOO_LONG : "must be an email such as ada@example.org";
  throw new CommandError(`${quoted(typed)} ${why}`, 2);
}

function accountExists(email: string): CommandError {
  return new CommandError(`${email} has an account: see kurs accounts show ${email}`);
}
