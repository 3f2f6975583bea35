import type { Command } from "commander";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  type OutputOptions,
  unknownAccount,
} from "../../platform/cli/command.ts";
import { formatJson } from "../../platform/cli/output.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { normalizeEmail } from "../../platform/shared/text/email.ts";
import { quoted, visibleLine } from "../../platform/shared/text/visible-text.ts";
import type { AccountStore } from "../accounts/store.ts";
import { FREE_PLAN } from "../billing/rules.ts";
import { requireEmail } from "../registration/cli.ts";
import { newAccount } from "../registration/register.ts";
import { createKey } from "./api-keys.ts";
import { createdApiKeyJson, NewApiKeyBody } from "./json.ts";
import { addLimitOptions, type LimitOptions, limitsIn, throwAsCommand } from "./limit-cli.ts";
import { chooseLimits, type OwnLimits } from "./limits.ts";
import type { ApiKeyStore } from "./store.ts";

export interface CreateKeyStores {
  readonly keys: ApiKeyStore;
  readonly accounts: Pick<AccountStore, "create" | "findByEmail">;
}

export interface CreateKeyDeps extends CommandIo {
  readonly openStore: OpenStore<CreateKeyStores>;
  readonly secrets: Secrets;
  /** Where people reach the server. @throws {ConfigError} */
  readonly publicUrl: () => string;
  readonly settings: () => { readonly keyMaxAgeDays: number | undefined };
}

interface CreateOptions extends OutputOptions, LimitOptions {
  readonly name: string;
  readonly newAccount?: true;
}

/** Adds `kurs keys create`. */
export function createKeyCommand(keys: Command, deps: CreateKeyDeps): void {
  const command = keys
    .command("create")
    .description("create an API key for an account, and print it: it is shown only now")
    .argument("<email>")
    .requiredOption("--name <name>", "the label of the key")
    .option("--new-account", "create the account, too, without a password");
  addLimitOptions(command)
    .option("--json", "print it as JSON")
    .addHelpText("after", createExamples)
    .action((email: string, options: CreateOptions) => createForAccount(deps, email, options));
}

const createExamples = `
The key alone goes to stdout. The limits on the keys of an account apply. A new account is on plan
free, and its email counts as verified. A running server mails its owner a link to choose a
password, valid for 7 days; kurs accounts reset-link prints another. Until then nobody can log in.

Examples:
  $ KEY=$(kurs keys create ada@example.org --name first --new-account)
  $ kurs keys create ada@example.org --name billing
  $ kurs keys create ada@example.org --name billing > key.txt
  $ kurs keys create ada@example.org --name trial --expires "30 days" --per-day 100`;

async function createForAccount(
  deps: CreateKeyDeps,
  typed: string,
  { name: typedName, newAccount: isNew, json, ...options }: CreateOptions,
): Promise<void> {
  const { openStore, publicUrl, print, printError, settings } = deps;
  const email = isNew ? await requireEmail(typed) : normalizeEmail(typed);
  const name = typedName.trim().toWellFormed();
  // Loaded only here: the compiler takes 70 ms.
  const { Compile } = await import("typebox/schema");
  if (!Compile(NewApiKeyBody).Check({ name })) {
    const wanted = "must be 1 to 100 characters, without control characters";
    throw new CommandError(`--name ${quoted(name)}: ${wanted}`, 2);
  }
  const origin = deps.origin();
  const limits = limitsOf(options, origin.at, settings().keyMaxAgeDays);
  await using store = await openStore();
  if (isNew) await createAccount(deps, store, email, origin);
  const account = await store.accounts.findByEmail(email);
  if (account === undefined) throw unknownAccount(email);
  const { key, secret } = await createKey(
    { ...deps, store },
    { accountId: account.id, name, limits },
    origin,
  ).catch(throwAsCommand);
  print(json ? formatJson(createdApiKeyJson(key, secret)) : secret);
  printError(
    `This is the key ${visibleLine(name)} of ${visibleLine(email)}. It is not shown again: ` +
      "store it, and give it to the owner of the account alone. A read, with the key in KEY:\n" +
      `  curl -H "Authorization: ApiKey $KEY" ${publicUrl()}/v1/rates/EUR/USD`,
  );
  if (account.suspendedAt !== undefined)
    printError(`${visibleLine(email)} is suspended: its keys are rejected until it is resumed.`);
}

/** @throws {CommandError} */
function limitsOf(options: LimitOptions, now: string, maxAgeDays: number | undefined): OwnLimits {
  try {
    return chooseLimits(limitsIn(options), { createdAt: now }, now, maxAgeDays);
  } catch (error) {
    throwAsCommand(error);
  }
}

/**
 * Creates an account on the free plan. Its email counts as verified, because at the first
 * verification by a link the keys of an account are revoked: a stranger may have created them, but
 * these are the operator's.
 */
async function createAccount(
  deps: CreateKeyDeps,
  store: CreateKeyStores,
  email: string,
  origin: Origin,
): Promise<void> {
  const { account, token } = newAccount({ email, plan: FREE_PLAN }, origin, deps);
  const verified = { ...account, emailVerifiedAt: origin.at };
  if (!(await store.accounts.create(verified, token, origin))) {
    throw new CommandError(`${email} has an account: without --new-account it gets another key`);
  }
  deps.printError(
    `${email} has an account now, on plan ${FREE_PLAN} and without a password: its owner can set ` +
      `one by the link in a mail, or by one that kurs accounts reset-link ${email} prints.`,
  );
}
