import type { Origin } from "../../platform/shared/origin.ts";
import type { IssuedToken, TokenPurpose } from "../outbox/store.ts";

export interface PasswordReset {
  readonly tokenHash: string;
  readonly passwordHash: string;
  /** The id of the notice that reports the change. */
  readonly mailId: string;
}

export interface MailTokenStore {
  /**
   * Stores a token and its mail for the account of an email; older tokens stay valid. Stores
   * nothing when the email has no account, is already verified (for `verification`), or has reached
   * the limit of tokens or mails, but takes as long and does not report it.
   */
  issue(email: string, token: IssuedToken, origin: Origin): Promise<void>;
  /** @returns the email of the token's account while the token is valid; does not spend it. */
  findEmail(tokenHash: string, purpose: TokenPurpose, now: string): Promise<string | undefined>;
  /**
   * Spends a token and marks its account's email as verified; voids the account's other tokens of
   * the purpose. @returns false when the token is not valid.
   */
  verifyEmail(tokenHash: string, origin: Origin): Promise<boolean>;
  /**
   * Spends a token as `verifyEmail` does, sets the password, marks the email as verified, ends
   * every session of the account and writes the notice, in one transaction. Revokes the account's
   * keys if the email was not verified before. @returns false when the token is not valid.
   */
  resetPassword(reset: PasswordReset, origin: Origin): Promise<boolean>;
}
