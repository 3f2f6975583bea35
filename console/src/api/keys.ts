import type { Static } from "typebox";
import type {
  ApiKeySchema,
  CreatedApiKeySchema,
  KeyLimitsSchema,
  limitUsageJson,
} from "../../../src/customers/api-keys/json.ts";
import type { keyUsageJson } from "../../../src/customers/billing/json.ts";
import { askAsOwner, post } from "./request.ts";

export type CreatedApiKey = Static<typeof CreatedApiKeySchema>;

export type ApiKey = Static<typeof ApiKeySchema>;

export type KeyLimits = Static<typeof KeyLimitsSchema>;

/** Limits as a person states them: the service checks them, and says what is wrong. */
export type StatedLimits = Readonly<Record<keyof KeyLimits, string | number | null>>;

/** The limits of a key, and the units that count against them. */
export type LimitUsage = ReturnType<typeof limitUsageJson>;

export const listApiKeys = async () =>
  (await askAsOwner<{ readonly api_keys: readonly ApiKey[] }>("v1/account/api-keys")).api_keys;

/** A key, and how it was used; `limits` of an active one that has any. */
export type KeyWithUsage = ApiKey &
  Pick<KeyUsage, "last_used_on" | "units"> & { readonly limits: LimitUsage | undefined };

type KeyUsage = ReturnType<typeof keyUsageJson>;

/** Reads a list of what is known of keys, by their ids. */
async function readByKey<Item extends { readonly api_key_id: string }>(path: string) {
  const { api_keys: items } = await askAsOwner<{ readonly api_keys: readonly Item[] }>(path);
  return new Map(items.map((item) => [item.api_key_id, item]));
}

/** Lists the account's keys, oldest first. */
export async function listKeysWithUsage(): Promise<readonly KeyWithUsage[]> {
  const [keys, usageOf, limitsOf] = await Promise.all([
    listApiKeys(),
    readByKey<KeyUsage>("v1/account/usage/api-keys"),
    readByKey<LimitUsage>("v1/account/usage/limits"),
  ]);
  return keys.map((key) => {
    // A key that was created between the responses has no usage yet.
    const { last_used_on = null, units = 0 } = usageOf.get(key.id) ?? {};
    return { ...key, last_used_on, units, limits: limitsOf.get(key.id) };
  });
}

export const createApiKey = (name: string, limits: StatedLimits) =>
  askAsOwner<CreatedApiKey>("v1/account/api-keys", post({ name, ...limits }));

export const setKeyLimits = (id: string, limits: StatedLimits) =>
  askAsOwner<KeyLimits>(`v1/account/api-keys/${id}/limits`, { method: "PUT", json: limits });

/** Replaces a key by a new one; both are valid for some hours. */
export const rotateApiKey = (id: string, overlapHours: number) =>
  askAsOwner<CreatedApiKey>(
    `v1/account/api-keys/${id}/rotate`,
    post({ overlap_hours: overlapHours }),
  );

export const revokeApiKey = (id: string) =>
  askAsOwner<void>(`v1/account/api-keys/${id}`, { method: "DELETE" });
