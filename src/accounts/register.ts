import { FREE_PLAN } from "../billing/rules.ts";
import type { Clock } from "../shared/clock.ts";
import { Failure } from "../shared/failure.ts";
import { originNow } from "../shared/origin.ts";
import type { Secrets } from "../shared/secrets.ts";
import type { ConsumeAuthAttempt } from "./auth-limiter.ts";
import { newMailToken } from "./mail-tokens.ts";
import type { HashNewPassword } from "./new-password.ts";
import type { Account, AccountStore } from "./store.ts";

/** The body of register and login, with the client's address. */
export interface Credentials {
  /** Trimmed, lower-cased and valid. */
  readonly email: string;
  readonly password: string;
  readonly clientIp: string;
}

/** @throws {Failure} `too_many_requests`, `invalid_request`, `email_taken` */
export type Register = (credentials: Credentials) => Promise<Account>;

/** Makes the use case that creates an account (specification, section 4) and mails its owner. */
export function createRegister(uses: {
  readonly store: { readonly accounts: AccountStore };
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
  readonly hashNewPassword: HashNewPassword;
}): Register {
  const { store, secrets, consumeAuthAttempt, hashNewPassword } = uses;

  return async ({ email, password, clientIp }) => {
    await consumeAuthAttempt(clientIp, email);
    const passwordHash = await hashNewPassword(password, email);
    const origin = originNow({ kind: "account", address: clientIp }, uses);
    const account: Account = {
      id: secrets.uuid(),
      email,
      passwordHash,
      plan: FREE_PLAN,
      createdAt: origin.at,
      emailVerifiedAt: undefined,
      suspendedAt: undefined,
    };
    if (!(await store.accounts.create(account, newMailToken("verification", uses), origin))) {
      throw new Failure("email_taken", "An account with this email exists already.");
    }
    return account;
  };
}
