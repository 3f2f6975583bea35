import { effect, signal } from "@preact/signals";

/**
 * The current log-in, only in memory and in this tab's storage: no cookie, no other tab
 * (docs/decisions/0008-pages-are-files-of-one-build.md).
 */
export interface Session {
  readonly email: string;
  readonly token: string;
  /** RFC 3339, as the service sent it. */
  readonly expiresAt: string;
  /** Just signed up, and not invited: a confirmation mail is on its way. */
  readonly isNew?: boolean;
}

/** Why the session ended. */
export type SessionEnd = "logged out" | "expired";

const PLACE = "kurs.session";

/** setTimeout's longest delay; a longer one would fire at once. */
const DELAY_MS_MAX = 2_147_483_647;

export const session = signal<Session | undefined>(restore());

/** Why the last session ended, until the next begins. */
export const sessionEnd = signal<SessionEnd | undefined>(undefined);

export function beginSession(next: Session): void {
  sessionStorage.setItem(PLACE, JSON.stringify(next));
  sessionEnd.value = undefined;
  session.value = next;
}

/** @param token the session to end: a late response must not end a newer one. */
export function endSession(why: SessionEnd, token = session.peek()?.token): void {
  if (session.peek()?.token !== token) return;
  sessionStorage.removeItem(PLACE);
  sessionEnd.value = why;
  session.value = undefined;
}

function restore(): Session | undefined {
  const text = sessionStorage.getItem(PLACE);
  const stored = text === null ? undefined : (JSON.parse(text) as Session);
  return stored !== undefined && msLeft(stored) > 0 ? stored : undefined;
}

function msLeft({ expiresAt }: Session): number {
  return Date.parse(expiresAt) - Date.now();
}

// A timer ends the session. If the device slept then, it ends when the page is shown again.
effect(() => {
  const current = session.value;
  if (current === undefined) return;
  const endWhenOver = () => {
    if (msLeft(current) <= 0) endSession("expired", current.token);
  };
  const timer = setTimeout(endWhenOver, Math.min(Math.max(msLeft(current), 0), DELAY_MS_MAX));
  document.addEventListener("visibilitychange", endWhenOver);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", endWhenOver);
  };
});
