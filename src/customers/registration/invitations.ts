import { timestamp } from "../../platform/shared/instant.ts";
import type { MailSecrets } from "../mailed-links/mail-tokens.ts";
import { INVITATION_LIFETIME_MS } from "../mailed-links/rules.ts";
import type { NewInvitation } from "./store.ts";

/**
 * Makes an invitation of 32 random bytes, and its mail.
 *
 * @param createdAt since when it is valid, RFC 3339 in UTC.
 */
export function newInvitation(
  { email, plan }: { readonly email: string; readonly plan: string },
  createdAt: string,
  secrets: MailSecrets,
): NewInvitation {
  const token = secrets.secret();
  return {
    token,
    tokenHash: secrets.hash(token),
    accountId: secrets.uuid(),
    email,
    plan,
    mailId: secrets.uuid(),
    createdAt,
    expiresAt: timestamp(Date.parse(createdAt) + INVITATION_LIFETIME_MS),
  };
}
