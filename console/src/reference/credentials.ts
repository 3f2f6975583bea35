import { computed, signal } from "@preact/signals";
import { session } from "../session.ts";

/** The security schemes of the API's description, each with the prefix of its credentials. */
export const schemes = {
  ApiKey: { prefix: "svc_live_", name: "API key" },
  Session: { prefix: "svc_sess_", name: "Session" },
} as const;

export type Scheme = keyof typeof schemes;

export const schemeNames = Object.keys(schemes) as readonly Scheme[];

/** The credentials that calls use, without the scheme's name. */
export type Credentials = Readonly<Partial<Record<Scheme, string>>>;

/** The credentials that the visitor entered: only in memory, until the page is closed. */
const entered = signal<Credentials>({});

/** The entered credentials, and the session of this tab's log-in if none was entered. */
export const credentials = computed<Credentials>(() => {
  const token = session.value?.token;
  return token === undefined ? entered.value : { Session: token, ...entered.value };
});

/** Whether account calls use the session of this tab's log-in. */
export const usesLogIn = computed(
  () => session.value !== undefined && entered.value.Session === undefined,
);

/**
 * Stores a pasted credential, with or without its scheme's name: the prefix determines the
 * scheme.
 *
 * @returns false when it is neither an API key nor a session.
 */
export function enter(text: string): boolean {
  const credential = text.trim().replace(/^(?:Authorization:\s*)?(?:ApiKey|Session)\s+/i, "");
  const scheme = schemeNames.find((name) => credential.startsWith(schemes[name].prefix));
  if (scheme === undefined || /\s/.test(credential)) return false;
  entered.value = { ...entered.value, [scheme]: credential };
  return true;
}

/** Deletes the entered credentials. */
export function forgetEntered(): void {
  entered.value = {};
}

/** Whether any credential was entered. */
export const hasEntered = computed(() => Object.keys(entered.value).length > 0);

// A log-out applies to every call of this page: it also deletes a session that was pasted.
session.subscribe((current) => {
  if (current !== undefined) return;
  const { Session: _, ...others } = entered.peek();
  entered.value = others;
});
