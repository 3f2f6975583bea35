import { createOneAtATime } from "../async/one-at-a-time.ts";
import type { MailTokenStore } from "../mail/store.ts";
import type { Clock } from "../shared/clock.ts";
import { timestamp } from "../shared/instant.ts";
import type { Secrets } from "../shared/secrets.ts";
import type { ConsumeAuthAttempt } from "./auth-limiter.ts";
import { newMailToken } from "./mail-tokens.ts";
import type { HashNewPassword } from "./new-password.ts";
import { invalidToken, isMailToken } from "./rules.ts";

export interface PasswordResets {
  /**
   * Sends a mail, when there is an account of that email; whether there is, is told neither by the
   * answer nor by its time.
   *
   * @throws {Failure} `too_many_requests`
   */
  request(email: string, clientIp: string): Promise<void>;
  /**
   * Spends the token of a mail's link for a new password: the email counts as verified and every
   * session of the account is ended. Its API keys stay, unless this is the first verification of
   * the email: then they may be a stranger's and are revoked.
   *
   * @throws {Failure} `too_many_requests`; `invalid_token`; `invalid_request` for the password, and
   *   then the token is not spent.
   */
  confirm(token: string, password: string, clientIp: string): Promise<void>;
}

export function createPasswordResets(uses: {
  readonly store: MailTokenStore;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
  readonly hashNewPassword: HashNewPassword;
}): PasswordResets {
  const { store, secrets, clock, consumeAuthAttempt, hashNewPassword } = uses;
  const now = () => timestamp(clock.nowMs());
  // Many confirmations of one token would fill the queue for hashing, though only one can succeed:
  // 400 of them let another user's log-in wait 3.9 s instead of 40 ms.
  const oneAtATime = createOneAtATime();

  return {
    async request(email, clientIp) {
      await consumeAuthAttempt(clientIp, email);
      await store.issueToken(email, newMailToken("password_reset", uses));
    },

    async confirm(token, password, clientIp) {
      await consumeAuthAttempt(clientIp);
      if (!isMailToken(token)) throw invalidToken;
      const tokenHash = secrets.hash(token);
      await oneAtATime(tokenHash, async () => {
        // Looked up before anything is hashed: a token that is none costs no 30 ms of a core.
        const email = await store.tokenEmail(tokenHash, "password_reset", now());
        if (email === undefined) throw invalidToken;
        const passwordHash = await hashNewPassword(password, email);
        const reset = { tokenHash, passwordHash, mailId: secrets.uuid(), now: now() };
        if (!(await store.resetPassword(reset))) throw invalidToken;
      });
    },
  };
}
