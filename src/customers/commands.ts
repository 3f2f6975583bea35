import type { Command } from "commander";
import { type AccountCommandDeps, accountCommands } from "./accounts/cli.ts";
import { type AdministrationCommandDeps, administrationCommands } from "./administration/cli.ts";
import { type KeyCommandDeps, keyCommands } from "./api-keys/cli.ts";
import {
  type PlanCommandDeps,
  planCommands,
  type UsageCommandDeps,
  usageCommands,
} from "./billing/cli.ts";
import { type GrantCommandDeps, grantCommands } from "./grants/cli.ts";
import { type MailCommandDeps, mailCommands } from "./outbox/cli.ts";
import type { MailSettings } from "./outbox/mailer.ts";
import { createMailer } from "./outbox/transport/create-mailer.ts";
import { type InviteCommandDeps, inviteCommands } from "./registration/cli.ts";

export type CustomerCommandDeps = PlanCommandDeps &
  UsageCommandDeps &
  GrantCommandDeps &
  AccountCommandDeps &
  InviteCommandDeps &
  AdministrationCommandDeps &
  KeyCommandDeps;

/** Adds `kurs plans`, `units`, `usage`, `accounts` and `keys`. */
export function customerCommands(program: Command, deps: CustomerCommandDeps): void {
  planCommands(program, deps);
  grantCommands(program, deps);
  usageCommands(program, deps);
  const accounts = accountCommands(program, deps);
  inviteCommands(accounts, deps);
  administrationCommands(accounts, deps);
  keyCommands(program, deps);
}

export interface OutboxCommandDeps extends Omit<MailCommandDeps, "openMailer"> {
  /** @throws {ConfigError} */
  readonly settings: () => MailSettings & { readonly publicUrl: string | undefined };
}

/** Adds `kurs mail`. */
export function outboxCommands(program: Command, deps: OutboxCommandDeps): void {
  const { settings } = deps;
  const openMailer = () => createMailer(settings(), () => settings().publicUrl ?? "");
  mailCommands(program, { ...deps, openMailer });
}
