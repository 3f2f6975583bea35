import { effect, signal } from "@preact/signals";
import { root } from "./router.ts";
import { unlessBlocked } from "./unless-blocked.ts";

/**
 * The current log-in. Each tab keeps it in memory and in its own storage, and sends it to a tab
 * that asks. No cookie, and nothing remains when the last tab is closed
 * (docs/decisions/0008-pages-are-files-of-one-build.md).
 */
export interface Session {
  readonly email: string;
  readonly token: string;
  /** RFC 3339, as the service sent it. */
  readonly expiresAt: string;
}

/** Why the session ended. */
export type SessionEnd = "logged out" | "expired";

/** What the tabs of one browser profile send each other. */
type Message =
  | { readonly kind: "ask" }
  | { readonly kind: "begin"; readonly session: Session }
  | { readonly kind: "end"; readonly why: SessionEnd; readonly token: string };

const PLACE = "kurs.session";

/** setTimeout's longest delay; a longer one would fire at once. */
const DELAY_MS_MAX = 2_147_483_647;

/** Another tab replies in 0.4 ms (median); without one, a page is shown this much later. */
const REPLY_MS_MAX = 100;

/**
 * Reaches the tabs of the same origin, profile and base path. Another Kurs on this origin, under a
 * path of its own, gets no token of this one.
 */
const channel = unlessBlocked(() => new BroadcastChannel(`${PLACE} ${root}`));

export const session = signal<Session | undefined>(restore());

/** Why the last session ended, until the next begins. */
export const sessionEnd = signal<SessionEnd | undefined>(undefined);

/** A tab that slept through the end of a session may still offer it. */
const endedTokens = new Set<string>();

export function beginSession(next: Session): void {
  begin(next);
  tell({ kind: "begin", session: next });
}

/**
 * Ends a session in every tab.
 *
 * @param token the session to end: a late response must not end a newer one.
 */
export function endSession(why: SessionEnd, token = session.peek()?.token): void {
  if (token === undefined || session.peek()?.token !== token) return;
  end(why, token);
  tell({ kind: "end", why, token });
}

/** Takes over the session of another tab, if there is one. Call it before the first page. */
export async function askOtherTabs(): Promise<void> {
  if (session.peek() !== undefined) return;
  await new Promise<void>((done) => {
    const stop = session.subscribe((current) => {
      if (current !== undefined) done();
    });
    setTimeout(() => {
      stop();
      done();
    }, REPLY_MS_MAX);
    tell({ kind: "ask" });
  });
}

function tell(message: Message): void {
  channel?.postMessage(message);
}

channel?.addEventListener("message", ({ data: message }: MessageEvent<Message>) => {
  const current = session.peek();
  if (message.kind === "ask") {
    if (current !== undefined) tell({ kind: "begin", session: current });
  } else if (message.kind === "end") {
    end(message.why, message.token);
  } else if (current === undefined && isValid(message.session)) {
    // A tab that has a session keeps it: its account does not change under the reader's hand.
    begin(message.session);
  }
});

function begin(next: Session): void {
  unlessBlocked(() => sessionStorage.setItem(PLACE, JSON.stringify(next)));
  sessionEnd.value = undefined;
  session.value = next;
}

function end(why: SessionEnd, token: string): void {
  endedTokens.add(token);
  if (session.peek()?.token !== token) return;
  unlessBlocked(() => sessionStorage.removeItem(PLACE));
  sessionEnd.value = why;
  session.value = undefined;
}

function restore(): Session | undefined {
  const text = unlessBlocked(() => sessionStorage.getItem(PLACE)) ?? undefined;
  const stored = text === undefined ? undefined : (JSON.parse(text) as Session);
  return stored !== undefined && msLeft(stored) > 0 ? stored : undefined;
}

function isValid(offered: Session): boolean {
  return msLeft(offered) > 0 && !endedTokens.has(offered.token);
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

// A page that "back" restores from memory has slept through what other pages did to the session.
addEventListener("pageshow", ({ persisted: isRestored }) => {
  if (isRestored) location.reload();
});
