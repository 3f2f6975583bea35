import { effect, signal } from "@preact/signals";
import type { CreatedApiKey } from "./api/keys.ts";
import { session } from "./session.ts";

/** The key that was just created, including its secret: only in memory, until the tab is closed. */
export const keyInHand = signal<CreatedApiKey | undefined>(undefined);

effect(() => {
  if (session.value === undefined) keyInHand.value = undefined;
});
