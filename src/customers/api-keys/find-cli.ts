import { CommandError, type CommandIo } from "../../platform/cli/command.ts";
import { visibleLine } from "../../platform/shared/text/visible-text.ts";
import { isUuid } from "../../platform/shared/uuid.ts";
import { isApiKey, isKeyPrefix, keyPrefixOf } from "./rules.ts";
import type { ApiKeyStore, KeyReference, OwnedKey } from "./store.ts";

/** What finds a key, and the words for it in messages, which never hold a secret. */
interface NamedReference {
  readonly reference: KeyReference;
  readonly name: string;
}

/** @throws {CommandError} the argument has another form. */
export function referenceOf(typed: string, hash: (credential: string) => string): NamedReference {
  const value = typed.trim().toLowerCase();
  if (isUuid(value)) return { reference: { by: "id", value }, name: `id ${value}` };
  if (isKeyPrefix(value)) return { reference: { by: "prefix", value }, name: `prefix ${value}` };
  if (isApiKey(value)) {
    const name = `prefix ${keyPrefixOf(value)} and this secret`;
    return { reference: { by: "hash", value: hash(value) }, name };
  }
  const wanted = "the key must be the id of an API key, or its prefix such as svc_live_01234567";
  throw new CommandError(`${wanted}: see kurs keys list EMAIL`, 2);
}

/** The most keys that are listed when a prefix does not identify one. */
const LISTED_MAX = 20;

/**
 * Finds the one active key of a reference.
 *
 * @param verb what the command does with it.
 * @throws {CommandError} there is none, or there are several.
 */
export async function findActiveKey(
  uses: Pick<CommandIo, "origin" | "printError"> & {
    readonly store: { readonly keys: Pick<ApiKeyStore, "find"> };
  },
  named: NamedReference,
  verb: string,
): Promise<OwnedKey> {
  const { store, origin, printError } = uses;
  const { reference, name } = named;
  const found = await store.keys.find(reference, LISTED_MAX + 1, origin().at);
  if (found.length === 0) throw new CommandError(`there is no API key with the ${name}`);
  const active = found.filter(({ revokedAt }) => revokedAt === undefined);
  const [key] = active;
  if (key === undefined) throw notActive(named);
  if (active.length === 1) return key;
  for (const one of active.slice(0, LISTED_MAX)) printError(showKey(one));
  const count = active.length > LISTED_MAX ? `more than ${LISTED_MAX}` : active.length;
  throw new CommandError(`${count} active API keys have the ${name}: ${verb} one by its id`);
}

export function notActive({ name }: NamedReference): CommandError {
  return new CommandError(`the API key with the ${name} was revoked or has expired already`);
}

/** `<prefix>  <email>  <id>` */
export function showKey({ keyPrefix, email, accountId, id }: OwnedKey): string {
  return visibleLine([keyPrefix, email ?? `account ${accountId}`, id].join("  "));
}
