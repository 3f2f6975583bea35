import type { KeyRejection } from "../../platform/shared/caller.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import type { OwnLimits } from "./limits.ts";

/** What the owner of a key chooses. */
export interface ChosenForKey {
  readonly name: string;
}

export interface ApiKey extends ChosenForKey {
  readonly id: string;
  readonly keyPrefix: string;
  readonly createdAt: string;
  /** When it was revoked, or the end of a key that has ended. */
  readonly revokedAt: string | undefined;
}

export interface NewApiKey extends ApiKey {
  readonly accountId: string;
  readonly keyHash: string;
  readonly limits: OwnLimits;
}

/** A key that replaces another one. */
export type Successor = Pick<NewApiKey, "id" | "keyPrefix" | "keyHash">;

/** A key with an end or a cap. */
export interface LimitedKey {
  readonly id: string;
  /** The id of the first key of its line, whose keys' units count together. */
  readonly line: string;
  readonly limits: OwnLimits;
}

/** The most keys of one account. */
export interface KeyLimits {
  readonly active: number;
  /** Created on one UTC day. */
  readonly perDay: number;
  /** Revoked ones included. */
  readonly total: number;
}

/** The result of a creation: stored, or not stored because of a deletion or a limit. */
export type KeyCreation = "created" | "account_deleted" | keyof KeyLimits;

/** The result of a rotation: the new key, or none because of a limit or without an active key. */
export type KeyRotation = { readonly key: ApiKey } | "not_found" | keyof KeyLimits;

/** A key of any account, as the operator sees it. */
export interface OwnedKey extends ApiKey {
  readonly accountId: string;
  /** Undefined once the account was deleted. */
  readonly email: string | undefined;
}

/**
 * What a key is found by. There is no index on the prefix, which only the operator searches for:
 * among 1,000,000 keys, SQLite finds one in 0.7 s and PostgreSQL in 0.2 s.
 */
export interface KeyReference {
  readonly by: "id" | "hash" | "prefix";
  readonly value: string;
}

/** The result of burning keys. */
interface BurnedKeys {
  /** How many of the hashes belong to a key, active or revoked. */
  readonly known: number;
  /** The keys that were active. */
  readonly revoked: readonly OwnedKey[];
}

interface RejectedKey {
  readonly accountId: string;
  readonly rejection: KeyRejection;
}

/** `now` is a time in RFC 3339 in UTC: from its end on a key is as a revoked one. */
export interface ApiKeyStore {
  create(key: NewApiKey, limits: KeyLimits, origin: Origin): Promise<KeyCreation>;
  /** A page of an account's keys after an id ("": all), revoked ones too, oldest first. */
  list(accountId: string, afterId: string, limit: number, now: string): Promise<ApiKey[]>;
  /** @returns the id of the account whose active key has that hash, unless it is suspended. */
  findAccount(keyHash: string, now: string): Promise<string | undefined>;
  /** Why `findAccount` found nothing, if a key has that hash. */
  findRejected(keyHash: string, now: string): Promise<RejectedKey | undefined>;
  /** @returns false for an id that is unknown, another account's or revoked already. */
  revoke(accountId: string, keyId: string, origin: Origin): Promise<boolean>;
  /** @returns undefined for an id that is unknown, another account's or of no active key. */
  limits(accountId: string, keyId: string, now: string): Promise<OwnLimits | undefined>;
  /** The account's active keys that have an end or a cap, oldest first. */
  limited(accountId: string, now: string): Promise<LimitedKey[]>;
  /**
   * Sets a key's end, and the caps of every active key of its line.
   *
   * @param choose what it throws undoes the change.
   * @returns undefined as `limits`.
   */
  setLimits(
    accountId: string,
    keyId: string,
    choose: (key: { readonly createdAt: string; readonly limits: OwnLimits }) => OwnLimits,
    origin: Origin,
  ): Promise<OwnLimits | undefined>;
  /**
   * Adds a key to an active one's line, which ends at a time or, if that is now, is revoked.
   *
   * @param succeeding the new key's limits, from those of the line's newest key.
   */
  rotate(
    old: { readonly accountId: string; readonly keyId: string; readonly endsAt: string },
    successor: Successor,
    succeeding: (limits: OwnLimits) => OwnLimits,
    limits: KeyLimits,
    origin: Origin,
  ): Promise<KeyRotation>;
  /** The keys of all accounts that a reference fits, active ones first. */
  find(reference: KeyReference, limit: number, now: string): Promise<OwnedKey[]>;
  /**
   * Revokes the active keys of all accounts with these hashes: all of them, or none.
   *
   * @param keyHashes at most HASHES_PER_STATEMENT.
   */
  burn(keyHashes: readonly string[], origin: Origin): Promise<BurnedKeys>;
  /** What `burn` would do now. Writes nothing. */
  previewBurn(keyHashes: readonly string[], now: string): Promise<BurnedKeys>;
}
