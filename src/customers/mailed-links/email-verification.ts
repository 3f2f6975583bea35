import type { Clock } from "../../platform/shared/clock.ts";
import { originNow } from "../../platform/shared/origin.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import type { ConsumeAuthAttempt } from "../auth-limit/auth-limiter.ts";
import { newMailToken } from "./mail-tokens.ts";
import { invalidToken, isMailToken } from "./rules.ts";
import type { MailTokenStore } from "./store.ts";

export interface EmailVerification {
  /** Spends the token of a mail's link. @throws {Failure} `invalid_token` */
  verify(token: string, clientAddress: string): Promise<void>;
  /**
   * Sends another mail if the email has an account that is not verified yet. Neither the response
   * nor its duration reveals whether it has.
   *
   * @throws {Failure} `too_many_requests`
   */
  resend(email: string, clientAddress: string): Promise<void>;
}

export function createEmailVerification(uses: {
  readonly store: { readonly mailTokens: MailTokenStore };
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
}): EmailVerification {
  const { store, secrets, consumeAuthAttempt } = uses;
  return {
    async verify(token, address) {
      if (!isMailToken(token)) throw invalidToken;
      const origin = originNow({ kind: "account", address }, uses);
      if (!(await store.mailTokens.verifyEmail(secrets.hash(token), origin))) throw invalidToken;
    },

    async resend(email, clientAddress) {
      await consumeAuthAttempt(clientAddress, email);
      const origin = originNow({ kind: "account", address: clientAddress }, uses);
      await store.mailTokens.issue(email, newMailToken("verification", uses), origin);
    },
  };
}
