import {
  commandTimeouts,
  type StoreTimeouts,
  serverTimeouts,
} from "../platform/storage/settings.ts";

/** How long a shutdown waits for what. */
export interface ShutdownLimits {
  /** For requests in flight; as a whole a shutdown takes less than 10 s. */
  readonly drainMs: number;
  /**
   * For passwords; those that are not hashed by then are rejected: requests that a client pipelined
   * behind a log-in get their responses after it, and metered reads among them are charged already.
   */
  readonly passwordsMs: number;
}

/** How long a program waits, before it reports that it could not do what was asked. */
export interface Limits {
  readonly server: StoreTimeouts;
  readonly command: StoreTimeouts;
  readonly shutdown: ShutdownLimits;
}

export const limits: Limits = {
  server: serverTimeouts,
  command: commandTimeouts,
  shutdown: { drainMs: 8000, passwordsMs: 5000 },
};
