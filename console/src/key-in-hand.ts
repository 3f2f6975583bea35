import { effect, signal } from "@preact/signals";
import type { CreatedApiKey } from "./api/keys.ts";
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
