import { FREE_PLAN } from "../domain/billing.ts";
import { Failure } from "../domain/failure.ts";
import { timestamp } from "../domain/instant.ts";
import { normalizePassword, passwordProblem } from "../domain/password.ts";
import type { SpendAuthCall } from "./auth-limit.ts";
import type { Account, AccountStore, Clock, Secrets } from "./ports.ts";

/** Who calls, and as whom: the body of register and login with the address it came from. */
export interface Credentials {
  /** Trimmed, lower-cased and of an email's form. */
  readonly email: string;
  readonly password: string;
  readonly clientIp: string;
}

/** @throws {Failure} `too_many_requests`, `invalid_request`, `email_taken` */
export type Register = (credentials: Credentials) => Promise<Account>;

/** Makes the use case that opens an account (specification, section 4). */
export function createRegister(uses: {
  readonly store: AccountStore;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly spendAuthCall: SpendAuthCall;
  readonly loadCommonPasswords: () => Promise<ReadonlySet<string>>;
}): Register {
  const { store, secrets, clock, spendAuthCall, loadCommonPasswords } = uses;

  return async ({ email, password: typed, clientIp }) => {
    await spendAuthCall(clientIp, email);
    const password = normalizePassword(typed);
    const common = await loadCommonPasswords();
    const problem = passwordProblem(password, email, (text) => common.has(text.toLowerCase()));
    if (problem !== undefined) throw new Failure("invalid_request", problem);

    const account: Account = {
      id: secrets.uuid(),
      email,
      passwordHash: await secrets.hashPassword(password),
      plan: FREE_PLAN,
      createdAt: timestamp(clock.nowMs()),
      emailVerifiedAt: undefined,
    };
    if (!(await store.createAccount(account))) {
      throw new Failure("email_taken", "An account with this email exists already.");
    }
    return account;
  };
}
