import {
  accountSuspended,
  emailNotVerified,
  isSessionToken,
  normalizePassword,
  SESSION_LIFETIME_MS,
  sessionNotFound,
  wrongCredentials,
} from "../accounts/rules.ts";
import type {
  AccountStore,
  CheckedPassword,
  ListedSession,
  SessionStore,
} from "../accounts/store.ts";
import type { ConsumeAuthAttempt } from "../auth-limit/auth-limiter.ts";
import type { SessionTimes } from "../billing/store.ts";
import type { Credentials } from "../registration/register.ts";
import type { Clock } from "../shared/clock.ts";
import { sessionRequired } from "../shared/failure.ts";
import { timestamp } from "../shared/instant.ts";
import { originNow } from "../shared/origin.ts";
import { PAGE_ROWS } from "../shared/page-size.ts";
import { SESSION_TOKEN_PREFIX, type Secrets } from "../shared/secrets.ts";
import { isUuid, MAX_UUID } from "../shared/uuid.ts";

/** How far the nodes' clocks may differ, or one be set back, before sessions are rejected. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** The result of a log-in; the token is returned only here. */
export interface IssuedSession {
  readonly token: string;
  /** RFC 3339 in UTC, 24 hours after the log-in. */
  readonly expiresAt: string;
}

/** The session of a request: its token, which `authenticate` accepted, and its client's address. */
export interface SessionInUse {
  readonly accountId: string;
  readonly token: string;
  readonly clientIp: string;
}

/** A valid session of an account, as another one of it sees it. */
export interface ValidSession extends Omit<ListedSession, "tokenHash"> {
  /** Whether it is the session that asks. */
  readonly isCurrent: boolean;
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
  /** The valid sessions of the account, newest first, in pages of bounded size. */
  list(session: Omit<SessionInUse, "clientIp">): AsyncGenerator<ValidSession[], void>;
  /**
   * Ends a session of the same account, or the session itself.
   *
   * @param sessionId in upper or lower case.
   * @throws {Failure} `not_found` for an id that is unknown, foreign or expired; `unauthorized`
   *   when the session that asks has ended meanwhile.
   */
  endOne(session: SessionInUse, sessionId: string): Promise<void>;
  /** Ends every other session of the account. @throws {Failure} `unauthorized`, as `endOne`. */
  endOthers(session: SessionInUse): Promise<void>;
}

interface SessionUses {
  readonly store: { readonly accounts: AccountStore; readonly sessions: SessionStore };
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
  /** Whether a log-in requires a verified email. */
  readonly requireVerifiedEmail: boolean;
}

export function createSessions(uses: SessionUses): Sessions {
  const { store, secrets, clock, consumeAuthAttempt, requireVerifiedEmail } = uses;

  const openSession = async (accountId: string, password: CheckedPassword, address: string) => {
    const token = SESSION_TOKEN_PREFIX + secrets.secret();
    const tokenHash = secrets.hash(token);
    const origin = originNow({ kind: "account", address }, uses);
    const expiresAt = timestamp(Date.parse(origin.at) + SESSION_LIFETIME_MS);
    const times = { createdAt: origin.at, expiresAt };
    const session = { id: secrets.uuid(), tokenHash, accountId, ...times, address };
    const isStored = await store.sessions.create(session, password, origin);
    return isStored ? { token, expiresAt } : undefined;
  };

  const digestOf = (token: string | undefined) =>
    token === undefined || !isSessionToken(token) ? undefined : secrets.hash(token);

  return {
    async logIn({ email, password: typed, clientIp }) {
      await consumeAuthAttempt(clientIp, email);
      const password = normalizePassword(typed);
      for (;;) {
        const account = await store.accounts.findByEmail(email);
        // An account that has no password yet takes as long as one that does not exist.
        const check = await secrets.verifyPassword(account?.passwordHash || undefined, password);
        if (account === undefined || !check.matches) {
          throw wrongCredentials;
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

    ...createSessionList(uses),
  };
}

function createSessionList(uses: SessionUses): Pick<Sessions, "list" | "endOne" | "endOthers"> {
  const { store, secrets, clock } = uses;
  const originOf = ({ clientIp }: SessionInUse) =>
    originNow({ kind: "account", address: clientIp }, uses);
  const askerOf = ({ accountId, token }: SessionInUse) => ({
    accountId,
    tokenHash: secrets.hash(token),
  });

  return {
    async *list({ accountId, token }) {
      const own = secrets.hash(token);
      const times = timesAt(clock.nowMs());
      let beforeId = MAX_UUID;
      for (;;) {
        const page = await store.sessions.list(accountId, beforeId, PAGE_ROWS, times);
        yield page.map(({ tokenHash, ...session }) => ({
          ...session,
          isCurrent: tokenHash === own,
        }));
        if (page.length < PAGE_ROWS) return;
        beforeId = page.at(-1)?.id ?? "";
      }
    },

    async endOne(session, sessionId) {
      const id = sessionId.toLowerCase();
      if (!isUuid(id)) throw sessionNotFound;
      const outcome = await store.sessions.endOne(id, askerOf(session), originOf(session));
      if (outcome === "asker_ended") throw sessionRequired;
      if (outcome === "not_found") throw sessionNotFound;
    },

    async endOthers(session) {
      const outcome = await store.sessions.endOthers(askerOf(session), originOf(session));
      if (outcome === "asker_ended") throw sessionRequired;
    },
  };
}

/** The times by which a session is valid at a moment: it ends after one, and began by the other. */
function timesAt(nowMs: number): SessionTimes {
  return { now: timestamp(nowMs), issuedBy: timestamp(nowMs + CLOCK_SKEW_MS) };
}
