import { createOneAtATime } from "../../platform/async/one-at-a-time.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { originNow } from "../../platform/shared/origin.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import type { ConsumeAuthAttempt } from "../auth-limit/auth-limiter.ts";
import type { IssuedToken, MailKind, TokenPurpose } from "../outbox/store.ts";
import type { HashNewPassword } from "../passwords/new-password.ts";
import {
  invalidToken,
  isMailToken,
  PASSWORD_RESET_LIFETIME_MS,
  VERIFICATION_LIFETIME_MS,
} from "./rules.ts";
import type { MailTokenStore } from "./store.ts";

const lifetimeMsOf: Record<TokenPurpose, number> = {
  verification: VERIFICATION_LIFETIME_MS,
  password_reset: PASSWORD_RESET_LIFETIME_MS,
};

/** The secrets that a mailed token needs. */
export type MailSecrets = Pick<Secrets, "secret" | "hash" | "uuid">;

/**
 * Makes a token of 32 random bytes, valid from now, and its mail.
 *
 * @param change the lifetime and the kind of mail, where they are not the purpose's own.
 */
export function newMailToken(
  purpose: TokenPurpose,
  { secrets, clock }: { readonly secrets: MailSecrets; readonly clock: Clock },
  change: { readonly lifetimeMs?: number; readonly kind?: MailKind } = {},
): IssuedToken {
  const { lifetimeMs = lifetimeMsOf[purpose], kind = purpose } = change;
  const nowMs = clock.nowMs();
  const token = secrets.secret();
  return {
    purpose,
    kind,
    token,
    tokenHash: secrets.hash(token),
    mailId: secrets.uuid(),
    createdAt: timestamp(nowMs),
    expiresAt: timestamp(nowMs + lifetimeMs),
  };
}

export type MailedLinks = ReturnType<typeof createMailedLinks>;

export function createMailedLinks(uses: {
  readonly store: { readonly mailTokens: MailTokenStore };
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
  readonly hashNewPassword: HashNewPassword;
}) {
  const { store, secrets, clock, consumeAuthAttempt, hashNewPassword } = uses;
  const originOf = (address: string) => originNow({ kind: "account", address }, uses);
  // Many confirmations of one token would fill the hashing queue, though only one can succeed: 400
  // of them made another user's log-in wait 3.9 s instead of 40 ms.
  const oneAtATime = createOneAtATime();

  return {
    /**
     * Mails another link if the email has an account and, to verify it, if that is not verified
     * yet. Neither the response nor its duration reveals whether it has.
     *
     * @throws {Failure} `too_many_requests`
     */
    async send(purpose: TokenPurpose, email: string, clientAddress: string): Promise<void> {
      await consumeAuthAttempt(clientAddress, email);
      const origin = originOf(clientAddress);
      await store.mailTokens.issue(email, newMailToken(purpose, uses), origin);
    },

    /** Spends the token of a mail's link. @throws {Failure} `invalid_token` */
    async verifyEmail(token: string, clientAddress: string): Promise<void> {
      if (!isMailToken(token)) throw invalidToken;
      const origin = originOf(clientAddress);
      if (!(await store.mailTokens.verifyEmail(secrets.hash(token), origin))) throw invalidToken;
    },

    /**
     * Spends the token of a mail's link and sets a new password. Marks the email as verified and
     * ends every session of the account. Its API keys stay valid, unless this is the first
     * verification of the email: then a stranger may have created them, and they are revoked.
     *
     * @throws {Failure} `too_many_requests`; `invalid_token`; `invalid_request` for the password,
     *   and then the token stays valid.
     */
    async resetPassword(token: string, password: string, clientAddress: string): Promise<void> {
      await consumeAuthAttempt(clientAddress);
      if (!isMailToken(token)) throw invalidToken;
      const tokenHash = secrets.hash(token);
      await oneAtATime(tokenHash, async () => {
        // Looks up the token before hashing: an invalid token must not cost 30 ms of a core.
        const now = timestamp(clock.nowMs());
        const email = await store.mailTokens.findEmail(tokenHash, "password_reset", now);
        if (email === undefined) throw invalidToken;
        const passwordHash = await hashNewPassword(password, email);
        const reset = { tokenHash, passwordHash, mailId: secrets.uuid() };
        const origin = originOf(clientAddress);
        if (!(await store.mailTokens.resetPassword(reset, origin))) throw invalidToken;
      });
    },
  };
}
