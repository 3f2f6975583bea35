import type { Caller } from "../../platform/shared/caller.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { Failure } from "../../platform/shared/failure.ts";
import { type Origin, ownerNow, type SessionInUse } from "../../platform/shared/origin.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { API_KEY_PREFIX } from "../../platform/shared/text/credentials.ts";
import { isUuid } from "../../platform/shared/uuid.ts";
import {
  apiKeyNotFound,
  apiKeyRequired,
  isApiKey,
  KEY_LIMITS,
  KeyRejected,
  keyLimitReached,
  keyPrefixOf,
} from "./rules.ts";
import type { ApiKey, ApiKeyStore, ChosenForKey, NewApiKey } from "./store.ts";

/** A key that may read, and its account. */
interface ValidKey extends Caller {
  readonly accountId: string;
}

export interface ApiKeys {
  /**
   * @param chosen the name is trimmed, 1 to 100 characters.
   * @returns the key with its secret, which is returned only here.
   * @throws {Failure} `key_limit_reached`; `unauthorized` when the session has lost its access.
   */
  create(session: SessionInUse, chosen: ChosenForKey): Promise<{ key: ApiKey; secret: string }>;
  /** Every key of the account, revoked ones too, oldest first, in pages of bounded size. */
  list(accountId: string): AsyncGenerator<ApiKey[], void>;
  /**
   * Checks a key without charging anything.
   *
   * @throws {KeyRejected} `unauthorized`
   */
  authenticate(apiKey: string | undefined): Promise<ValidKey>;
  /**
   * @param keyId in upper or lower case.
   * @throws {Failure} `not_found` for an id that is unknown, foreign or revoked already;
   *   `unauthorized` as `create`.
   */
  revoke(session: SessionInUse, keyId: string): Promise<void>;
}

export function createApiKeys(uses: {
  readonly store: { readonly keys: ApiKeyStore };
  readonly secrets: Secrets;
  readonly clock: Clock;
}): ApiKeys {
  const { store, secrets } = uses;

  return {
    create(session, chosen) {
      const { accountId } = session;
      return createKey(uses, { ...chosen, accountId }, ownerNow(session, uses));
    },

    list: (accountId) => pagesOfKeys(store.keys, accountId),

    async authenticate(apiKey) {
      if (apiKey === undefined || !isApiKey(apiKey)) throw apiKeyRequired;
      const keyPrefix = keyPrefixOf(apiKey);
      const keyHash = secrets.hash(apiKey);
      const accountId = await store.keys.findAccount(keyHash);
      if (accountId !== undefined) return { keyPrefix, accountId };
      const stored = await store.keys.findRejected(keyHash);
      throw new KeyRejected({ keyPrefix, ...(stored ?? { rejection: "unknown" }) });
    },

    async revoke(session, keyId) {
      const id = keyId.toLowerCase();
      if (!isUuid(id)) throw apiKeyNotFound;
      const origin = ownerNow(session, uses);
      if (!(await store.keys.revoke(session.accountId, id, origin))) throw apiKeyNotFound;
    },
  };
}

/**
 * Creates an API key.
 *
 * @param chosen the account, and what its owner chose, checked already.
 * @throws {Failure} as `create` of `ApiKeys`, and `not_found` for a deleted account.
 */
export async function createKey(
  { store, secrets }: { readonly store: { readonly keys: ApiKeyStore }; readonly secrets: Secrets },
  { accountId, ...chosen }: ChosenForKey & Pick<NewApiKey, "accountId">,
  origin: Origin,
): Promise<{ key: ApiKey; secret: string }> {
  const secret = API_KEY_PREFIX + secrets.secret();
  const key: ApiKey = {
    ...chosen,
    id: secrets.uuid(),
    keyPrefix: keyPrefixOf(secret),
    createdAt: origin.at,
    revokedAt: undefined,
  };
  const newKey = { ...key, accountId, keyHash: secrets.hash(secret) };
  const creation = await store.keys.create(newKey, KEY_LIMITS, origin);
  if (creation === "account_deleted") throw new Failure("not_found", "The account was deleted.");
  if (creation === "created") return { key, secret };
  throw keyLimitReached[creation];
}

/** Every key of an account, revoked ones too, oldest first, in pages of bounded size. */
export const pagesOfKeys = (keys: ApiKeyStore, accountId: string) =>
  pagesOf(
    "",
    (after, limit) => keys.list(accountId, after, limit),
    ({ id }) => id,
  );
