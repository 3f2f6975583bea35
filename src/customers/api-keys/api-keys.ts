import type { Caller } from "../../platform/shared/caller.ts";
import { type Clock, HOUR_MS } from "../../platform/shared/clock.ts";
import { Failure } from "../../platform/shared/failure.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { type Origin, ownerNow, type SessionInUse } from "../../platform/shared/origin.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { API_KEY_PREFIX } from "../../platform/shared/text/credentials.ts";
import { isUuid } from "../../platform/shared/uuid.ts";
import { type ConsumeAuthAttempt, changesOf } from "../auth-limit/auth-limiter.ts";
import { billingPeriodAt, utcDay } from "../billing/rules.ts";
import type { LineUnits, UsageStore } from "../billing/store.ts";
import { chooseLimits, type GivenLimits, type OwnLimits, succeedingLimits } from "./limits.ts";
import {
  apiKeyNotFound,
  apiKeyRequired,
  isApiKey,
  KEY_LIMITS,
  KeyRejected,
  keyLimitReached,
  keyPrefixOf,
} from "./rules.ts";
import type {
  ApiKey,
  ApiKeyStore,
  ChosenForKey,
  LimitedKey,
  NewApiKey,
  Successor,
} from "./store.ts";

/** A key that may read, and its account. */
interface ValidKey extends Caller {
  readonly accountId: string;
}

interface KeyWithSecret {
  readonly key: ApiKey;
  readonly secret: string;
}

/** An active key with an end or a cap, and the units that count against its caps. */
export type LimitUsage = LimitedKey & LineUnits;

export interface ApiKeys {
  /**
   * @param chosen the name is trimmed, 1 to 100 characters.
   * @returns the key with its secret, which is returned only here.
   * @throws {Failure} `key_limit_reached`; `invalid_request` for an invalid end; `unauthorized`
   *   when the session has lost its access.
   */
  create(session: SessionInUse, chosen: ChosenForKey & GivenLimits): Promise<KeyWithSecret>;
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
   * @throws {Failure} `not_found` for an id that is unknown, foreign or of a key that was revoked
   *   or has ended; `unauthorized` as `create`. So do the following ones.
   */
  revoke(session: SessionInUse, keyId: string): Promise<void>;
  limits(accountId: string, keyId: string): Promise<OwnLimits>;
  /** The active keys with an end or a cap, oldest first. */
  limitUsage(accountId: string): Promise<LimitUsage[]>;
  /** @throws {Failure} also `invalid_request` for an invalid end; `too_many_requests`. */
  setLimits(session: SessionInUse, keyId: string, given: GivenLimits): Promise<OwnLimits>;
  /**
   * Replaces a key by a new one, which counts against the same caps.
   *
   * @param overlapHours how long both are valid; 0: the old one is revoked at once.
   * @throws {Failure} also `key_limit_reached`.
   */
  rotate(session: SessionInUse, keyId: string, overlapHours: number): Promise<KeyWithSecret>;
}

export function createApiKeys(uses: {
  readonly store: { readonly keys: ApiKeyStore; readonly usage: Pick<UsageStore, "ofLines"> };
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly keyMaxAgeDays: number | undefined;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
}): ApiKeys {
  const { store, secrets, clock, keyMaxAgeDays } = uses;
  const now = () => timestamp(clock.nowMs());

  return {
    async create(session, { name, ...given }) {
      const { accountId } = session;
      const origin = ownerNow(session, uses);
      const limits = chooseLimits(given, { createdAt: origin.at }, origin.at, keyMaxAgeDays);
      return await createKey(uses, { name, accountId, limits }, origin);
    },

    list: (accountId) => pagesOfKeys(store.keys, accountId, now()),

    async authenticate(apiKey) {
      if (apiKey === undefined || !isApiKey(apiKey)) throw apiKeyRequired;
      const keyPrefix = keyPrefixOf(apiKey);
      const keyHash = secrets.hash(apiKey);
      const accountId = await store.keys.findAccount(keyHash, now());
      if (accountId !== undefined) return { keyPrefix, accountId };
      const stored = await store.keys.findRejected(keyHash, now());
      throw new KeyRejected({ keyPrefix, ...(stored ?? { rejection: "unknown" }) });
    },

    async revoke(session, keyId) {
      const [id, origin] = [idOf(keyId), ownerNow(session, uses)];
      if (!(await store.keys.revoke(session.accountId, id, origin))) throw apiKeyNotFound;
    },

    limits: async (accountId, keyId) =>
      found(await store.keys.limits(accountId, idOf(keyId), now())),

    async limitUsage(accountId) {
      const nowMs = clock.nowMs();
      const keys = await store.keys.limited(accountId, timestamp(nowMs));
      if (keys.length === 0) return [];
      const period = billingPeriodAt(nowMs).name;
      const used = await store.usage.ofLines(accountId, period, utcDay(nowMs));
      return keys.map((key) => {
        return { ...key, ...(used.get(key.line) ?? { periodUnits: 0, dayUnits: 0 }) };
      });
    },

    async setLimits(session, keyId, given) {
      const { accountId } = session;
      const key = { accountId, id: idOf(keyId) };
      found(await store.keys.limits(accountId, key.id, now()));
      // On PostgreSQL a change of caps holds up every read until its commit.
      await uses.consumeAuthAttempt(changesOf(accountId), `limits of ${key.id}`);
      return found(await setKeyLimits(uses, key, given, ownerNow(session, uses)));
    },

    async rotate(session, keyId, overlapHours) {
      const { accountId } = session;
      const [id, origin] = [idOf(keyId), ownerNow(session, uses)];
      found(await store.keys.limits(accountId, id, origin.at));
      const { secret, ...successor } = newSecret(secrets);
      const endsAt = timestamp(Date.parse(origin.at) + overlapHours * HOUR_MS);
      const rotation = await store.keys.rotate(
        { accountId, keyId: id, endsAt },
        successor,
        (limits) => succeedingLimits(limits, origin.at, keyMaxAgeDays),
        KEY_LIMITS,
        origin,
      );
      if (rotation === "not_found") throw apiKeyNotFound;
      if (typeof rotation === "string") throw keyLimitReached[rotation];
      return { key: rotation.key, secret };
    },
  };
}

/** @throws {Failure} `not_found` */
function idOf(keyId: string): string {
  const id = keyId.toLowerCase();
  if (!isUuid(id)) throw apiKeyNotFound;
  return id;
}

function found(limits: OwnLimits | undefined): OwnLimits {
  if (limits === undefined) throw apiKeyNotFound;
  return limits;
}

function newSecret(secrets: Secrets): Successor & { readonly secret: string } {
  const secret = API_KEY_PREFIX + secrets.secret();
  const keyPrefix = keyPrefixOf(secret);
  return { secret, id: secrets.uuid(), keyPrefix, keyHash: secrets.hash(secret) };
}

/**
 * Changes the limits of an active key.
 *
 * @returns what is stored then; undefined without such a key.
 * @throws {Failure} as `setLimits` of `ApiKeys`.
 */
export function setKeyLimits(
  uses: {
    readonly store: { readonly keys: ApiKeyStore };
    readonly keyMaxAgeDays: number | undefined;
  },
  { accountId, id }: Pick<NewApiKey, "accountId" | "id">,
  given: GivenLimits,
  origin: Origin,
): Promise<OwnLimits | undefined> {
  const choose = (key: Parameters<typeof chooseLimits>[1]) =>
    chooseLimits(given, key, origin.at, uses.keyMaxAgeDays);
  return uses.store.keys.setLimits(accountId, id, choose, origin);
}

/**
 * Creates an API key.
 *
 * @param chosen the account, and what its owner chose, checked already.
 * @throws {Failure} as `create` of `ApiKeys`, and `not_found` for a deleted account.
 */
export async function createKey(
  { store, secrets }: { readonly store: { readonly keys: ApiKeyStore }; readonly secrets: Secrets },
  chosen: ChosenForKey & Pick<NewApiKey, "accountId" | "limits">,
  origin: Origin,
): Promise<KeyWithSecret> {
  const { secret, ...credential } = newSecret(secrets);
  const key = { ...chosen, ...credential, createdAt: origin.at, revokedAt: undefined };
  const creation = await store.keys.create(key, KEY_LIMITS, origin);
  if (creation === "account_deleted") throw new Failure("not_found", "The account was deleted.");
  if (creation === "created") return { key, secret };
  throw keyLimitReached[creation];
}

/** Every key of an account, revoked ones too, oldest first, in pages of bounded size. */
export const pagesOfKeys = (keys: ApiKeyStore, accountId: string, now: string) =>
  pagesOf(
    "",
    (after, limit) => keys.list(accountId, after, limit, now),
    ({ id }) => id,
  );
