/** What a server has acknowledged so far: what must be found again, whatever crashes. */
export interface Books {
  readonly readers: readonly Reader[];
  /** Emails of accounts whose creation was answered with 201. */
  readonly accounts: string[];
  /** Tokens of sessions whose log-in was answered with 200. */
  readonly sessions: string[];
  readonly keys: Map<string, KeyEntry>;
}

/** An account that reads. Its units must lie between its answers and those with what was lost. */
export interface Reader {
  readonly email: string;
  /** A plan of its own. */
  readonly plan: string;
  quota: number;
  readonly session: string;
  readonly apiKeys: readonly string[];
  /** Reads that were answered with 200: at least these are charged. */
  answered: number;
  /** Reads whose answer never came: each may be charged or not. */
  lost: number;
  /** Whether a read was answered with 429 since the quota was set: then the quota is spent to its last unit. */
  wasRefused: boolean;
}

export interface KeyEntry {
  readonly id: string;
  readonly session: string;
  /** Sent: the key may be dead. Acknowledged: it must be. */
  revocation: "none" | "sent" | "acknowledged";
}
