import type { Command } from "commander";
import { Email } from "../accounts/json.ts";
import { INVITATION_LIFETIME_MS, type Registration } from "../accounts/rules.ts";
import type { Account, AccountStore, InvitationStore } from "../accounts/store.ts";
import { FREE_PLAN } from "../billing/rules.ts";
import type { PlanStore } from "../billing/store.ts";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  type OutputOptions,
} from "../cli/command.ts";
import { formatJson } from "../cli/output.ts";
import { type MailSecrets, newMailToken } from "../mailed-links/mail-tokens.ts";
import { normalizeEmail } from "../shared/text/email.ts";
import { newInvitation } from "./invitations.ts";

export interface InviteCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{
    readonly accounts: AccountStore;
    readonly invitations: InvitationStore;
    readonly plans: PlanStore;
  }>;
  readonly secrets: MailSecrets;
  /** The settings of this command, which may differ from those of a server. */
  readonly settings: () => { readonly registration: Registration };
}

interface InviteOptions extends OutputOptions {
  readonly plan: string;
}

/** Adds `kurs accounts invite` and `kurs accounts create`. */
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
}

const inviteExamples = `
A running server delivers the mail. Its link opens the page to create an account with this email,
which then counts as verified. The link works once, where REGISTRATION is open or invite.

Examples:
  $ kurs accounts invite ada@example.org
  $ kurs accounts invite ada@example.org --plan pro --json`;

const createExamples = `
A running server delivers the mail. Its link is valid for 7 days; "Forgot your password?" sends
another one later. Until the owner has chosen a password, nobody can log in. Works in every mode of
REGISTRATION.

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
  deps.print(
    json
      ? formatJson({ email, plan, expires_at: expiresAt })
      : `invited ${email} to plan ${plan} until ${expiresAt}; a running server delivers the mail`,
  );
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
  const account: Account = {
    id: deps.secrets.uuid(),
    email,
    passwordHash: "",
    plan,
    createdAt: origin.at,
    emailVerifiedAt: undefined,
    suspendedAt: undefined,
  };
  const firstPassword = { lifetimeMs: INVITATION_LIFETIME_MS, kind: "account_created" } as const;
  const token = newMailToken("password_reset", deps, firstPassword);
  if (!(await store.accounts.create(account, token, origin))) throw accountExists(email);
  const { expiresAt } = token;
  deps.print(
    json
      ? formatJson({ id: account.id, email, plan, expires_at: expiresAt })
      : `created ${email} on plan ${plan}; a running server delivers the mail, whose link to ` +
          `choose a password works until ${expiresAt}`,
  );
}

/** @returns the email in normal form. @throws {CommandError} when register would reject it. */
async function requireEmail(typed: string): Promise<string> {
  const email = normalizeEmail(typed);
  // Loaded only here: the compiler takes 70 ms.
  const { Compile } = await import("typebox/schema");
  if (Compile(Email).Check(email)) return email;
  const shown = JSON.stringify(typed.slice(0, 300));
  throw new CommandError(`${shown} is no email: want one such as ada@example.org`, 2);
}

/** @throws {CommandError} when there is no such plan. */
export async function requirePlan(plans: PlanStore, plan: string): Promise<void> {
  const names = (await plans.list()).map(({ name }) => name);
  if (names.includes(plan)) return;
  const known = names.join(", ");
  throw new CommandError(`there is no plan ${plan}; there are: ${known}. See kurs plans set`);
}

function accountExists(email: string): CommandError {
  return new CommandError(`${email} has an account: see kurs accounts show ${email}`);
}
