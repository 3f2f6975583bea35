import type { Static } from "typebox";
import type { ApiKeySchema, CreatedApiKeySchema } from "../../../src/customers/api-keys/json.ts";
import type { keyUsageJson } from "../../../src/customers/billing/json.ts";
import { askAsOwner, post } from "./request.ts";

export type CreatedApiKey = Static<typeof CreatedApiKeySchema>;

export type ApiKey = Static<typeof ApiKeySchema>;

export const listApiKeys = async () =>
  (await askAsOwner<{ readonly api_keys: readonly ApiKey[] }>("v1/account/api-keys")).api_keys;

/** A key, and how it was used. */
export type KeyWithUsage = ApiKey & Pick<KeyUsage, "last_used_on" | "units">;

type KeyUsage = ReturnType<typeof keyUsageJson>;

/** Lists the account's keys, oldest first. */
export async function listKeysWithUsage(): Promise<readonly KeyWithUsage[]> {
  const [keys, { api_keys: usages }] = await Promise.all([
    listApiKeys(),
    askAsOwner<{ readonly api_keys: readonly KeyUsage[] }>("v1/account/usage/api-keys"),
  ]);
  const usageOf = new Map(usages.map((usage) => [usage.api_key_id, usage]));
  return keys.map((key) => {
    // A key that was created between the two responses has no usage yet.
    const { last_used_on = null, units = 0 } = usageOf.get(key.id) ?? {};
    return { ...key, last_used_on, units };
  });
}

export const createApiKey = (name: string) =>
  askAsOwner<CreatedApiKey>("v1/account/api-keys", post({ name }));

export const revokeApiKey = (id: string) =>
  askAsOwner<void>(`v1/account/api-keys/${id}`, { method: "DELETE" });
