import { isMailToken } from "../domain/credential.ts";
import { invalidToken } from "../domain/failure.ts";
import { timestamp } from "../domain/instant.ts";
import type { SpendAuthCall } from "./auth-limit.ts";
import type { MailTokenStore } from "./mail-ports.ts";
import { newMailToken } from "./mail-tokens.ts";
import type { HashNewPassword } from "./new-password.ts";
import type { Clock, Secrets } from "./ports.ts";

export interface PasswordResets {
  /**
   * Sends a mail, when there is an account of that email; whether there is, is told neither by the
   * answer nor by its time.
   *
   * @throws {Failure} `too_many_requests`
   */
  request(email: string, clientIp: string): Promise<void>;
  /**
   * Spends the token of a mail's link for a new password: the email counts as verified, every
   * session of the account is ended, its API keys stay.
   *
   * @throws {Failure} `invalid_token`; `invalid_request` for the password, and then the token is
   *   not spent.
   */
  confirm(token: string, password: string): Promise<void>;
}

export function createPasswordResets(uses: {
  readonly store: MailTokenStore;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly spendAuthCall: SpendAuthCall;
  readonly hashNewPassword: HashNewPassword;
}): PasswordResets {
  const { store, secrets, clock, spendAuthCall, hashNewPassword } = uses;
  const now = () => timestamp(clock.nowMs());

  return {
    async request(email, clientIp) {
      await spendAuthCall(clientIp, email);
      await store.issueToken(email, newMailToken("password_reset", uses));
    },

    async confirm(token, password) {
      if (!isMailToken(token)) throw invalidToken;
      const tokenHash = secrets.hash(token);
      // Looked up before anything is hashed: a token that is none costs no 30 ms of a core.
      const email = await store.tokenEmail(tokenHash, "password_reset", now());
      if (email === undefined) throw invalidToken;
      const passwordHash = await hashNewPassword(password, email);
      const reset = { tokenHash, passwordHash, mailId: secrets.uuid(), now: now() };
      if (!(await store.resetPassword(reset))) throw invalidToken;
    },
  };
}
