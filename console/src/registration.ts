import type { Registration } from "../../src/customers/registration/rules.ts";
import type { Invitation } from "./router.ts";

/** The mode of registration, which the server writes into the document. */
const mode = document.querySelector<HTMLMetaElement>('meta[name="registration"]')?.content;

/** Whether anybody can create an account. */
export const isOpen = mode === undefined || mode === ("open" satisfies Registration);

/** Whether an invitation is of use. */
export const takesInvitations = mode !== ("closed" satisfies Registration);

/** Whether a visitor with this invitation, or without one, can create an account. */
export const canJoin = (invitation: Invitation | undefined): boolean =>
  isOpen || (takesInvitations && invitation !== undefined);

/** What a visitor without an invitation does for an account, where registration is not open. */
export const howToJoin = takesInvitations
  ? "Accounts are by invitation: ask the operator of this service for one."
  : "Registration is closed: ask the operator of this service for an account.";
