import type { SessionTimes } from "../billing/store.ts";
import type { Clock } from "../shared/clock.ts";
import { Failure, sessionRequired } from "../shared/failure.ts";
import { timestamp } from "../shared/instant.ts";
import { originNow } from "../shared/origin.ts";
import { SESSION_TOKEN_PREFIX, type Secrets } from "../shared/secrets.ts";
import type { ConsumeAuthAttempt } from "./auth-limiter.ts";
import type { Credentials } from "./register.ts";
import {
  accountSuspended,
  emailNotVerified,
  isSessionToken,
  normalizePassword,
  SESSION_LIFETIME_MS,
} from "./rules.ts";
import type { AccountStore, CheckedPassword, SessionStore } from "./store.ts";

/** How far the nodes' clocks may differ, or one be set back, before sessions are rejected. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** The result of a log-in; the token is returned only here. */
export interface IssuedSession {
  readonly token: string;
  /** RFC 3339 in UTC, 24 hours after the log-in. */
  readonly expiresAt: string;
}

export interface Sessions {
  /**
   * @throws {Failure} `too_many_requests`; `unauthorized` for an unknown email or a wrong
   *   password, after the same time for both, and for a suspended account after the password has
   *   matched; `email_not_verified` then, too.
   */
  logIn(credentials: Credentials): Promise<IssuedSession>;
  /** @returns a token's digest, as stored; undefined for a text that is no token. */
  digestOf(token: string | undefined): string | undefined;
  /** @returns the times between which a session must have begun and end to be valid. */
  timesAt(nowMs: number): SessionTimes;
  /** @returns the id of the session's account. @throws {Failure} `unauthorized` */
  authenticate(token: string | undefined): Promise<string>;
  /** Ends the session of a token that `authenticate` accepted. */
  logOut(token: string, clientIp: string): Promise<void>;
}

export function createSessions(uses: {
  readonly store: { readonly accounts: AccountStore; readonly sessions: SessionStore };
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
  /** Whether a log-in requires a verified email. */
  readonly requireVerifiedEmail: boolean;
}): Sessions {
  const { store, secrets, clock, consumeAuthAttempt, requireVerifiedEmail } = uses;

  const openSession = async (accountId: string, password: CheckedPassword, address: string) => {
    const token = SESSION_TOKEN_PREFIX + secrets.secret();
    const tokenHash = secrets.hash(token);
    const origin = originNow({ kind: "account", address }, uses);
    const expiresAt = timestamp(Date.parse(origin.at) + SESSION_LIFETIME_MS);
    const session = { tokenHash, accountId, createdAt: origin.at, expiresAt };
    const isStored = await store.sessions.create(session, password, origin);
    return isStored ? { token, expiresAt } : undefined;
  };

  const digestOf = (token: string | undefined) =>
    token === undefined || !isSessionToken(token) ? undefined : secrets.hash(token);

  const timesAt = (nowMs: number): SessionTimes => ({
    now: timestamp(nowMs),
    issuedBy: timestamp(nowMs + CLOCK_SKEW_MS),
  });

  return {
    async logIn({ email, password: typed, clientIp }) {
      await consumeAuthAttempt(clientIp, email);
      const password = normalizePassword(typed);
      for (;;) {
        const account = await store.accounts.findByEmail(email);
        // An account that has no password yet takes as long as one that does not exist.
        const check = await secrets.verifyPassword(account?.passwordHash || undefined, password);
        if (account === undefined || !check.matches) {
          throw new Failure("unauthorized", "Email or password is incorrect.");
        }
        if (account.suspendedAt !== undefined) throw accountSuspended;
        if (requireVerifiedEmail && account.emailVerifiedAt === undefined) throw emailNotVerified;
        const hash = account.passwordHash;
        const nextHash = check.outdated ? await secrets.hashPassword(password) : hash;
        const session = await openSession(account.id, { hash, nextHash }, clientIp);
        // Otherwise the password changed or the account was suspended meanwhile: check again.
        if (session !== undefined) return session;
      }
    },

    digestOf,
    timesAt,

    async authenticate(token) {
      const tokenHash = digestOf(token);
      if (tokenHash === undefined) throw sessionRequired;
      const { now, issuedBy } = timesAt(clock.nowMs());
      const accountId = await store.sessions.findAccount(tokenHash, now, issuedBy);
      if (accountId === undefined) throw sessionRequired;
      return accountId;
    },

    async logOut(token, address) {
      const origin = originNow({ kind: "account", address }, uses);
      await store.sessions.end(secrets.hash(token), origin);
    },
  };
}
