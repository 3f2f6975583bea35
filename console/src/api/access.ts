import type { Static } from "typebox";
import type { AccountSchema } from "../../../src/customers/accounts/json.ts";
import type { listedSessionJson, SessionSchema } from "../../../src/customers/sessions/json.ts";
import { ApiError, ask, askAsOwner, post } from "./request.ts";

export type ListedSession = ReturnType<typeof listedSessionJson>;

type Credentials = { readonly email: string; readonly password: string };

/** @param invitation the token of an invitation's mail. */
export const register = (credentials: Credentials, invitation?: string) =>
  ask<Static<typeof AccountSchema>>("v1/auth/register", post({ ...credentials, invitation }));

export const logIn = (credentials: Credentials) =>
  ask<Static<typeof SessionSchema>>("v1/auth/login", post(credentials));

export const logOut = () => askAsOwner<void>("v1/auth/logout", { method: "POST" });

export const verifyEmail = (token: string) => ask<void>("v1/auth/verification", post({ token }));

export const resendVerification = (email: string) =>
  ask<unknown>("v1/auth/verification/resend", post({ email }));

export const requestReset = (email: string) =>
  ask<unknown>("v1/auth/password-reset", post({ email }));

export const confirmReset = (token: string, password: string) =>
  ask<void>("v1/auth/password-reset/confirm", post({ token, password }));

export const listSessions = async () =>
  (await askAsOwner<{ readonly sessions: readonly ListedSession[] }>("v1/account/sessions"))
    .sessions;

/** Ends a session; one that is over already counts as ended. */
export async function endListedSession(id: string): Promise<void> {
  try {
    await askAsOwner<void>(`v1/account/sessions/${id}`, { method: "DELETE" });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
  }
}

export const endOtherSessions = () => askAsOwner<void>("v1/account/sessions", { method: "DELETE" });
