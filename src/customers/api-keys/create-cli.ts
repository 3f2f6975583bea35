import type { Command } from "commander";
import {
  CommandError,
  type CommandIo,
  type OpenStore,
  type OutputOptions,
  unknownAccount,
} from "../../platform/cli/command.ts";
import { formatJson } from "../../platform/cli/output.ts";
import { Failure } from "../../platform/shared/failure.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { normalizeEmail } from "../../platform/shared/text/email.ts";
import { quoted, visibleLine } from "../../platform/shared/text/visible-text.ts";
import { createKey } from "./api-keys.ts";
import { createdApiKeyJson, NewApiKeyBody } from "./json.ts";
import type { ApiKeyStore } from "./store.ts";

export interface CreateKeyStores {
  readonly keys: ApiKeyStore;
  /** Where an email is turned into the id of its account. */
  readonly accounts: {
    findByEmail(
      email: string,
    ): Promise<{ readonly id: string; readonly suspendedAt: string | undefined } | undefined>;
  };
}

export interface CreateKeyDeps extends CommandIo {
  readonly openStore: OpenStore<CreateKeyStores>;
  readonly secrets: Secrets;
}

interface CreateOptions extends OutputOptions {
  readonly name: string;
}

/** Adds `kurs keys create`. */
export function createKeyCommand(keys: Command, deps: CreateKeyDeps): void {
  keys
    .command("create")
    .description("create an API key for an account, and print it: it is shown only now")
    .argument("<email>")
    .requiredOption("--name <name>", "the label of the key")
    .option("--json", "print it as JSON")
    .addHelpText("after", createExamples)
    .action((email: string, options: CreateOptions) => createForAccount(deps, email, options));
}

const createExamples = `
The key alone goes to stdout. The limits on the keys of an account apply.

Examples:
  $ kurs keys create ada@example.org --name billing
  $ kurs keys create ada@example.org --name billing > key.txt`;

async function createForAccount(
  deps: CreateKeyDeps,
  typed: string,
  { name: typedName, json }: CreateOptions,
): Promise<void> {
  const { openStore, origin, print, printError } = deps;
  const email = normalizeEmail(typed);
  const name = typedName.trim().toWellFormed();
  // Loaded only here: the compiler takes 70 ms.
  const { Compile } = await import("typebox/schema");
  if (!Compile(NewApiKeyBody).Check({ name })) {
    const wanted = "want 1 to 100 characters, without control characters";
    throw new CommandError(`--name ${quoted(name)}: ${wanted}`, 2);
  }
  await using store = await openStore();
  const account = await store.accounts.findByEmail(email);
  if (account === undefined) throw unknownAccount(email);
  const { key, secret } = await createKey(
    { ...deps, store },
    { accountId: account.id, name },
    origin(),
  ).catch((error: unknown): never => {
    throw error instanceof Failure ? new CommandError(error.message) : error;
  });
  print(json ? formatJson(createdApiKeyJson(key, secret)) : secret);
  printError(
    `This is the key ${visibleLine(name)} of ${visibleLine(email)}. It is not shown again: ` +
      "store it, and give it to the owner of the account alone.",
  );
  if (account.suspendedAt !== undefined)
    printError(`${visibleLine(email)} is suspended: its keys are rejected until it is resumed.`);
}
