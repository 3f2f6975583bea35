import type { Origin } from "../shared/origin.ts";

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly keyPrefix: string;
  readonly createdAt: string;
  readonly revokedAt: string | undefined;
}

export interface NewApiKey extends ApiKey {
  readonly accountId: string;
  readonly keyHash: string;
  /** The session that creates it: it must still exist when the key is stored. */
  readonly sessionHash?: string;
}

/** The most keys of one account. */
export interface KeyLimits {
  readonly active: number;
  /** Created on one UTC day. */
  readonly perDay: number;
  /** Revoked ones included. */
  readonly total: number;
}

/** The result of a creation: stored, or not stored because of a limit or an ended session. */
export type KeyCreation = "created" | "session_ended" | keyof KeyLimits;

export interface ApiKeyStore {
  create(key: NewApiKey, limits: KeyLimits, origin: Origin): Promise<KeyCreation>;
  /** A page of an account's keys after an id ("": all), revoked ones too, oldest first. */
  list(accountId: string, afterId: string, limit: number): Promise<ApiKey[]>;
  /** @returns the id of the account whose active key has that hash, unless it is suspended. */
  findAccount(keyHash: string): Promise<string | undefined>;
  /** @returns false for an id that is unknown, another account's or revoked already. */
  revoke(accountId: string, keyId: string, origin: Origin): Promise<boolean>;
}
