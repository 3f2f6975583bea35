import { Failure } from "../../platform/shared/failure.ts";

/** Who can open an account: everybody, only people with an invitation, or nobody. */
export const registrations = ["open", "invite", "closed"] as const;

export type Registration = (typeof registrations)[number];

/**
 * What a registration without a valid invitation gets; in mode `open` only one with an invalid
 * invitation. One failure for one that is unknown, used, expired or for another email.
 */
export const noValidInvitation: Record<Registration, Failure> = {
  open: new Failure(
    "invalid_token",
    "This invitation is for another email, was used already or has expired. Please use the email " +
      "that was invited, or create an account without an invitation.",
  ),
  invite: new Failure(
    "registration_closed",
    "Registration is by invitation only. Please open the link of your invitation's mail, use the " +
      "email that was invited, or ask the operator of this service for a new one.",
  ),
  closed: new Failure(
    "registration_closed",
    "Registration is closed. Please ask the operator of this service for an account.",
  ),
};
