import type { Clock } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import type { IssuedToken, MailKind, TokenPurpose } from "../mail/store.ts";
import { PASSWORD_RESET_LIFETIME_MS, VERIFICATION_LIFETIME_MS } from "./rules.ts";

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
