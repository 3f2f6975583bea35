import { API_KEY_START, isApiKey, isApiKeyId, keyPrefixOf } from "../domain/credential.ts";
import { apiKeyRequired, Failure } from "../domain/failure.ts";
import { timestamp } from "../domain/instant.ts";
import type { ApiKey, ApiKeyStore, Clock, Secrets } from "./ports.ts";

/** The most active keys of one account. */
const ACTIVE_KEYS_MAX = 100;

export interface ApiKeys {
  /**
   * @param name trimmed, 1 to 100 characters.
   * @returns the key with its secret, which is told this once.
   * @throws {Failure} `key_limit_reached`
   */
  create(accountId: string, name: string): Promise<{ key: ApiKey; secret: string }>;
  /** @returns every key of the account, revoked ones too, oldest first. */
  list(accountId: string): Promise<ApiKey[]>;
  /**
   * Checks a key without charging anything.
   *
   * @returns the id of its account.
   * @throws {Failure} `unauthorized`
   */
  authenticate(apiKey: string | undefined): Promise<string>;
  /**
   * @param keyId in upper or lower case.
   * @throws {Failure} `not_found` for an id that is unknown, foreign or revoked already.
   */
  revoke(accountId: string, keyId: string): Promise<void>;
}

export function createApiKeys(uses: {
  readonly store: ApiKeyStore;
  readonly secrets: Secrets;
  readonly clock: Clock;
}): ApiKeys {
  const { store, secrets, clock } = uses;

  return {
    async create(accountId, name) {
      const secret = API_KEY_START + secrets.secret();
      const key: ApiKey = {
        id: secrets.uuid(),
        name,
        keyPrefix: keyPrefixOf(secret),
        createdAt: timestamp(clock.nowMs()),
        revokedAt: undefined,
      };
      const keyHash = secrets.hash(secret);
      if (!(await store.createApiKey({ ...key, accountId, keyHash }, ACTIVE_KEYS_MAX))) {
        throw new Failure(
          "key_limit_reached",
          `An account has at most ${ACTIVE_KEYS_MAX} active API keys. Revoke one first.`,
        );
      }
      return { key, secret };
    },

    list: (accountId) => store.listApiKeys(accountId),

    async authenticate(apiKey) {
      if (apiKey === undefined || !isApiKey(apiKey)) throw apiKeyRequired;
      const accountId = await store.apiKeyAccount(secrets.hash(apiKey));
      if (accountId === undefined) throw apiKeyRequired;
      return accountId;
    },

    async revoke(accountId, keyId) {
      const id = keyId.toLowerCase();
      const isRevoked =
        isApiKeyId(id) && (await store.revokeApiKey(accountId, id, timestamp(clock.nowMs())));
      if (!isRevoked) {
        throw new Failure("not_found", "There is no active API key with this id.");
      }
    },
  };
}
