import { computed, signal } from "@preact/signals";
import { session } from "../session.ts";

/** The security schemes of the API's description, each with what its credentials begin with. */
export const schemes = {
  ApiKey: { prefix: "svc_live_", name: "API key" },
  Session: { prefix: "svc_sess_", name: "Session" },
} as const;

export type Scheme = keyof typeof schemes;

export const schemeNames = Object.keys(schemes) as readonly Scheme[];

/** The credentials that calls are made with, bare. */
export type Credentials = Readonly<Partial<Record<Scheme, string>>>;

/** What the visitor has entered: in memory only, until the page is left. */
const entered = signal<Credentials>({});

/** What was entered, and the session of this tab's log-in where no other was. */
export const credentials = computed<Credentials>(() => {
  const token = session.value?.token;
  return token === undefined ? entered.value : { Session: token, ...entered.value };
});

/** Whether account calls are made with the session of this tab's log-in. */
export const usesLogIn = computed(
  () => session.value !== undefined && entered.value.Session === undefined,
);

/**
 * Takes what was pasted: the credential with or without its scheme's word, which it tells by
 * itself.
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

/** Forgets what was entered. */
export function forgetEntered(): void {
  entered.value = {};
}

/** Whether there is anything to forget. */
export const hasEntered = computed(() => Object.keys(entered.value).length > 0);

// Who logs out means every call of this page; another session that was pasted goes, too.
session.subscribe((current) => {
  if (current !== undefined) return;
  const { Session: _, ...others } = entered.peek();
  entered.value = others;
});
