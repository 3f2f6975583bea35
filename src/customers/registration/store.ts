import type { Origin } from "../../platform/shared/origin.ts";
import type { Account } from "../accounts/store.ts";

/** An invitation to register with one email. */
export interface Invitation {
  readonly tokenHash: string;
  /** The id that the account will have. */
  readonly accountId: string;
  readonly email: string;
  readonly plan: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** A new invitation with its mail: they are stored together or not at all. */
export interface NewInvitation extends Invitation {
  /** The secret itself: it stays in the mail's row until the mail is delivered. */
  readonly token: string;
  readonly mailId: string;
}

export interface InvitationStore {
  /**
   * Stores an invitation and its mail; older ones for the email stay valid. The plan must exist.
   *
   * @returns false, and stores nothing, when the email has an account.
   */
  create(invitation: NewInvitation, origin: Origin): Promise<boolean>;
  /** Every invitation that is valid at a time, the oldest first. */
  list(now: string): Promise<readonly Invitation[]>;
  /** @returns the invitation of a token while it is valid for an email; does not spend it. */
  find(tokenHash: string, email: string, now: string): Promise<Invitation | undefined>;
  /**
   * Spends an invitation: stores the account, with the invitation's id and plan, and removes every
   * invitation for its email. Stores nothing in the other cases.
   */
  accept(
    tokenHash: string,
    account: Account,
    origin: Origin,
  ): Promise<"accepted" | "invalid" | "email_taken">;
}
