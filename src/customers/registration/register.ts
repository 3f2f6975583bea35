import { createOneAtATime } from "../../platform/async/one-at-a-time.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { Failure } from "../../platform/shared/failure.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { type Origin, originNow } from "../../platform/shared/origin.ts";
import type { Secrets } from "../../platform/shared/secrets.ts";
import type { Account, AccountStore } from "../accounts/store.ts";
import type { ConsumeAuthAttempt } from "../auth-limit/auth-limiter.ts";
import { FREE_PLAN } from "../billing/rules.ts";
import { type MailSecrets, newMailToken } from "../mailed-links/mailed-links.ts";
import { INVITATION_LIFETIME_MS, isMailToken } from "../mailed-links/rules.ts";
import type { IssuedToken } from "../outbox/store.ts";
import type { HashNewPassword } from "../passwords/new-password.ts";
import type { Credentials } from "../sessions/sessions.ts";
import { noValidInvitation, type Registration } from "./rules.ts";
import type { InvitationStore, NewInvitation } from "./store.ts";

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

type Chosen = Pick<Account, "id" | "email" | "passwordHash" | "plan">;

/** Makes an account as it is when it is created. */
const accountAt = (createdAt: string, chosen: Chosen, emailVerifiedAt?: string): Account => ({
  ...chosen,
  createdAt,
  emailVerifiedAt,
  suspendedAt: undefined,
  quotaMails: true,
});

/**
 * Makes an account without a password, in which nobody can log in, and the token of the mail by
 * which its owner chooses one.
 */
export function newAccount(
  { email, plan }: { readonly email: string; readonly plan: string },
  { at }: Origin,
  uses: { readonly secrets: MailSecrets; readonly clock: Clock },
): { readonly account: Account; readonly token: IssuedToken } {
  const account = accountAt(at, { id: uses.secrets.uuid(), email, passwordHash: "", plan });
  const firstPassword = { lifetimeMs: INVITATION_LIFETIME_MS, kind: "account_created" } as const;
  return { account, token: newMailToken("password_reset", uses, firstPassword) };
}

/** The body of register, with the client's address. */
interface RegistrationRequest extends Credentials {
  /** The token of an invitation's mail, as it was sent. */
  readonly invitation?: string;
}

/**
 * Creates an account. Before the mode of registration and the invitation permit it, nothing depends
 * on whether the email has an account.
 *
 * @throws {Failure} `too_many_requests`; `registration_closed` or, in mode `open`, `invalid_token`
 *   without a valid invitation; `invalid_request` for the password, and `email_taken`: the
 *   invitation then stays valid.
 */
export type Register = (request: RegistrationRequest) => Promise<Account>;

interface RegisterUses {
  readonly store: { readonly accounts: AccountStore; readonly invitations: InvitationStore };
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly registration: Registration;
  readonly consumeAuthAttempt: ConsumeAuthAttempt;
  readonly hashNewPassword: HashNewPassword;
}

/** Makes the use case that creates an account (specification, section 4). */
export function createRegister(uses: RegisterUses): Register {
  const { registration, consumeAuthAttempt } = uses;
  const registerUninvited = createRegisterUninvited(uses);
  const registerInvited = createRegisterInvited(uses);
  return async (request) => {
    const { invitation, email, clientAddress } = request;
    await consumeAuthAttempt(clientAddress, email);
    if (invitation === undefined && registration === "open") return registerUninvited(request);
    const isPossible = registration !== "closed" && isMailToken(invitation ?? "");
    if (invitation === undefined || !isPossible) throw noValidInvitation[registration];
    return registerInvited({ ...request, invitation });
  };
}

/** Creates an account on the free plan, and mails its owner a link to verify the email. */
function createRegisterUninvited(uses: RegisterUses): Register {
  const { store, secrets, hashNewPassword } = uses;
  return async ({ email, password, clientAddress }) => {
    const passwordHash = await hashNewPassword(password, email);
    const origin = originNow({ kind: "account", address: clientAddress }, uses);
    const chosen = { id: secrets.uuid(), email, passwordHash, plan: FREE_PLAN };
    const account = accountAt(origin.at, chosen);
    if (!(await store.accounts.create(account, newMailToken("verification", uses), origin))) {
      throw emailTaken;
    }
    return account;
  };
}

/** Creates an account as it was invited. The invitation came by mail: it verifies the email. */
function createRegisterInvited(uses: RegisterUses) {
  const { store, secrets, clock, registration, hashNewPassword } = uses;
  // Many uses of one invitation would fill the hashing queue, though only one can succeed.
  const oneAtATime = createOneAtATime();
  return (request: Required<RegistrationRequest>): Promise<Account> => {
    const { email, password, clientAddress } = request;
    const tokenHash = secrets.hash(request.invitation);
    return oneAtATime(tokenHash, async () => {
      const now = timestamp(clock.nowMs());
      const invitation = await store.invitations.find(tokenHash, email, now);
      if (invitation === undefined) throw noValidInvitation[registration];
      const passwordHash = await hashNewPassword(password, email);
      const origin = originNow({ kind: "account", address: clientAddress }, uses);
      const { accountId: id, plan } = invitation;
      const account = accountAt(origin.at, { id, email, passwordHash, plan }, origin.at);
      const outcome = await store.invitations.accept(tokenHash, account, origin);
      if (outcome === "invalid") throw noValidInvitation[registration];
      if (outcome === "email_taken") throw emailTaken;
      return account;
    });
  };
}

export const emailTaken = new Failure("email_taken", "An account with this email exists already.");
