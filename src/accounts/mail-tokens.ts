import type { IssuedToken, TokenPurpose } from "../mail/store.ts";
import type { Clock } from "../shared/clock.ts";
import { timestamp } from "../shared/instant.ts";
import type { Secrets } from "../shared/secrets.ts";
import { PASSWORD_RESET_LIFETIME_MS, VERIFICATION_LIFETIME_MS } from "./rules.ts";

const lifetimeMsOf: Record<TokenPurpose, number> = {
  verification: VERIFICATION_LIFETIME_MS,
  password_reset: PASSWORD_RESET_LIFETIME_MS,
};

/** Makes a token of 32 random bytes, valid from now for its purpose's lifetime, and its mail. */
export function newMailToken(
  purpose: TokenPurpose,
  { secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock },
): IssuedToken {
  const nowMs = clock.nowMs();
  const token = secrets.secret();
  return {
    purpose,
    token,
    tokenHash: secrets.hash(token),
    mailId: secrets.uuid(),
    createdAt: timestamp(nowMs),
    expiresAt: timestamp(nowMs + lifetimeMsOf[purpose]),
  };
}
