import { effect, signal } from "@preact/signals";
import type { CreatedApiKey } from "./api/keys.ts";
import { ApiError } from "./api/request.ts";
import { session } from "./session.ts";
import { unlessBlocked } from "./unless-blocked.ts";

/** The key that was just created, including its secret: only in memory, until the tab is closed. */
export const keyInHand = signal<CreatedApiKey | undefined>(undefined);

type KeptKey = Pick<CreatedApiKey, "id" | "name" | "api_key">;

const PLACE = "kurs.key";

/** A key that the owner wants to keep for "Try it": in this tab's storage, until the log-out. */
export const keptKey = signal<KeptKey | undefined>(restore());

export function keepKey({ id, name, api_key }: CreatedApiKey): void {
  keptKey.value = { id, name, api_key };
}

export function forgetKey(): void {
  keptKey.value = undefined;
}

/**
 * A browser sends no header with characters outside Latin-1, such as the "…" of a key's prefix.
 *
 * @throws {ApiError} for a text that cannot be a key.
 */
export function completeKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]*$/.test(key)) return key;
  const whatToDo = "Paste the whole key, svc_live_ and 64 characters, or create another.";
  throw new ApiError("unauthorized", `This is not a complete key. ${whatToDo}`);
}

function restore(): KeptKey | undefined {
  const text = unlessBlocked(() => sessionStorage.getItem(PLACE)) ?? undefined;
  return text === undefined ? undefined : (JSON.parse(text) as KeptKey);
}

effect(() => {
  if (session.value !== undefined) return;
  keyInHand.value = undefined;
  keptKey.value = undefined;
});

effect(() => {
  const kept = keptKey.value;
  unlessBlocked(() => {
    if (kept === undefined) sessionStorage.removeItem(PLACE);
    else sessionStorage.setItem(PLACE, JSON.stringify(kept));
  });
});
