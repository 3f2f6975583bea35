import type { Clock } from "../../platform/shared/clock.ts";
import { sessionRequired } from "../../platform/shared/failure.ts";
import { ownerNow, type SessionInUse } from "../../platform/shared/origin.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { ConsumeAuthAttempt } from "../auth-limit/auth-limiter.ts";
import { normalizePassword, wrongPassword } from "../passwords/rules.ts";
import type { AdministrationStore } from "./administration.ts";

/**
 * Deletes the account of a session, as `kurs accounts delete` does. Its password counts and is
 * checked as at a log-in: otherwise a stolen session could try passwords without a limit.
 *
 * @throws {Failure} `too_many_requests`; `unauthorized` for a wrong password, and when the session
 *   has lost its access meanwhile.
 */
export type DeleteAccount = (session: SessionInUse, password: string) => Promise<void>;

export function createDeleteAccount(uses: {
  readonly store: {
    readonly accounts: AccountStore;
    readonly administration: AdministrationStore;
  };
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
}): DeleteAccount {
  const { store, secrets, consumeAuthAttempt } = uses;

  const accountOf = async (accountId: string) => {
    const account = await store.accounts.findById(accountId);
    if (account === undefined) throw sessionRequired;
    return account;
  };

  return async (session, typed) => {
    const { accountId, clientAddress } = session;
    const { email } = await accountOf(accountId);
    await consumeAuthAttempt(clientAddress, email);
    const password = normalizePassword(typed);
    for (;;) {
      const { passwordHash } = await accountOf(accountId);
      const { matches } = await secrets.verifyPassword(passwordHash || undefined, password);
      if (!matches) throw wrongPassword;
      // Otherwise the password changed meanwhile: check again.
      if (await store.administration.delete(email, ownerNow(session, uses), passwordHash)) return;
    }
  };
}
