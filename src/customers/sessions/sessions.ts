import { CLOCK_DIFFERENCE_MAX_MS, type Clock } from "../../platform/shared/clock.ts";
import { sessionRequired } from "../../platform/shared/failure.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { originNow, ownerNow, type SessionInUse } from "../../platform/shared/origin.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import { SESSION_TOKEN_PREFIX } from "../../platform/shared/text/credentials.ts";
import { isUuid, MAX_UUID } from "../../platform/shared/uuid.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { ConsumeAuthAttempt } from "../auth-limit/auth-limiter.ts";
import type { Passwords } from "../passwords/passwords.ts";
import { normalizePassword } from "../passwords/rules.ts";
import {
  accountSuspended,
  emailNotVerified,
  isSessionToken,
  SESSION_LIFETIME_MS,
  sessionNotFound,
  wrongCredentials,
} from "./rules.ts";
import type { CheckedPassword, ListedSession, SessionStore, SessionTimes } from "./store.ts";

/** The result of a log-in; the token is returned only here. */
export interface IssuedSession {
  readonly token: string;
  /** RFC 3339 in UTC, 24 hours after the log-in. */
  readonly expiresAt: string;
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
  logIn(credentials: LogIn): Promise<IssuedSession>;
  /** @returns the id of the session's account. @throws {Failure} `unauthorized` */
  authenticate(token: string | undefined): Promise<string>;
  /** Ends the session. @throws {Failure} `unauthorized` when it has lost its access meanwhile. */
  logOut(session: SessionInUse): Promise<void>;
  /** The valid sessions of the account, newest first, in pages of bounded size. */
  list(session: SessionInUse): AsyncGenerator<ValidSession[], void>;
  /**
   * Ends a session of the same account, or the session itself.
   *
   * @param sessionId in upper or lower case.
   * @throws {Failure} `not_found` for an id that is unknown, foreign or expired; `unauthorized`
   *   as `logOut`.
   */
  endOne(session: SessionInUse, sessionId: string): Promise<void>;
  /** Ends every other session of the account. @throws {Failure} `unauthorized`, as `logOut`. */
  endOthers(session: SessionInUse): Promise<void>;
}

interface SessionUses {
  readonly store: { readonly accounts: AccountStore; readonly sessions: SessionStore };
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
  /** Whether a log-in requires a verified email. */
  readonly requireVerifiedEmail: boolean;
}

export function createSessions(uses: SessionUses): Sessions {
  const { store, secrets, passwords, clock, consumeAuthAttempt, requireVerifiedEmail } = uses;

  const openSession = async (
    accountId: string,
    password: CheckedPassword,
    { clientAddress: address, client }: LogIn,
  ) => {
    const token = SESSION_TOKEN_PREFIX + secrets.secret();
    const tokenHash = secrets.hash(token);
    const origin = originNow({ kind: "account", address }, uses);
    const expiresAt = timestamp(Date.parse(origin.at) + SESSION_LIFETIME_MS);
    const times = { createdAt: origin.at, expiresAt };
    const session = { id: secrets.uuid(), tokenHash, accountId, ...times, address, client };
    const isStored = await store.sessions.create(session, password, origin);
    return isStored ? { token, expiresAt } : undefined;
  };

  return {
    async logIn(login) {
      const { email, password: typed, clientAddress } = login;
      await consumeAuthAttempt(clientAddress, email);
      const password = normalizePassword(typed);
      for (;;) {
        const account = await store.accounts.findByEmail(email);
        // An account that has no password yet takes as long as one that does not exist.
        const check = await passwords.verify(account?.passwordHash || undefined, password);
        if (account === undefined || !check.matches) {
          throw wrongCredentials;
        }
        if (account.suspendedAt !== undefined) throw accountSuspended;
        if (requireVerifiedEmail && account.emailVerifiedAt === undefined) throw emailNotVerified;
        const hash = account.passwordHash;
        const nextHash = check.outdated ? await passwords.hash(password) : hash;
        const session = await openSession(account.id, { hash, nextHash }, login);
        // Otherwise the password changed or the account was suspended meanwhile: check again.
        if (session !== undefined) return session;
      }
    },

    async authenticate(token) {
      if (token === undefined || !isSessionToken(token)) throw sessionRequired;
      const tokenHash = secrets.hash(token);
      const { now, issuedBy } = timesAt(clock.nowMs());
      const accountId = await store.sessions.findAccount(tokenHash, now, issuedBy);
      if (accountId === undefined) throw sessionRequired;
      return accountId;
    },

    logOut: (session) => store.sessions.end(ownerNow(session, uses)),

    ...createSessionList(uses),
  };
}

function createSessionList(uses: SessionUses): Pick<Sessions, "list" | "endOne" | "endOthers"> {
  const { store, secrets, clock } = uses;
  return {
    async *list({ accountId, token }) {
      const own = secrets.hash(token);
      const times = timesAt(clock.nowMs());
      const read = (beforeId: string, limit: number) =>
        store.sessions.list(accountId, beforeId, limit, times);
      for await (const page of pagesOf(MAX_UUID, read, ({ id }) => id)) {
        yield page.map(({ tokenHash, ...session }) => ({
          ...session,
          isCurrent: tokenHash === own,
        }));
      }
    },

    async endOne(session, sessionId) {
      const id = sessionId.toLowerCase();
      if (!isUuid(id)) throw sessionNotFound;
      if (!(await store.sessions.endOne(id, ownerNow(session, uses)))) throw sessionNotFound;
    },

    endOthers: (session) => store.sessions.endOthers(ownerNow(session, uses)),
  };
}

/** The times by which a session is valid at a moment: it ends after one, and began by the other. */
function timesAt(nowMs: number): SessionTimes {
  return { now: timestamp(nowMs), issuedBy: timestamp(nowMs + CLOCK_DIFFERENCE_MAX_MS) };
}

/** The body of register and login, with the client's address. */
export interface Credentials {
  /** Trimmed, lower-cased and valid. */
  readonly email: string;
  readonly password: string;
  readonly clientAddress: string;
}

interface LogIn extends Credentials {
  /** What `describeClient` makes of the request. */
  readonly client: string | undefined;
}
