/** What a server has acknowledged so far: it must survive any crash. */
export interface Books {
  readonly readers: readonly Reader[];
  /** Emails of accounts whose registration returned 201. */
  readonly accounts: string[];
  /** Tokens of sessions whose log-in returned 200. */
  readonly sessions: string[];
  readonly keys: Map<string, KeyEntry>;
}

/** An account that reads. Its used units must be from `answered` to `answered + lost`. */
export interface Reader {
  readonly email: string;
  /** A plan that only this account is on. */
  readonly plan: string;
  quota: number;
  readonly session: string;
  readonly apiKeys: readonly string[];
  /** Reads that returned 200: at least these are charged. */
  answered: number;
  /** Reads in doubt: each may be charged or not. */
  lost: number;
  /** Whether a read returned 429 since the quota was set: then all units are used. */
  wasRefused: boolean;
}

export interface KeyEntry {
  readonly id: string;
  readonly session: string;
  /** Sent: the key may be revoked. Acknowledged: it must be. */
  revocation: "none" | "sent" | "acknowledged";
}

/** A pseudo-random sequence from 0 to below 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
