import { effect, signal } from "@preact/signals";
import type { CreatedApiKey } from "./api.ts";
import { session } from "./session.ts";

/** The key that was just created, its secret included: in memory only, until the tab is left. */
export const keyInHand = signal<CreatedApiKey | undefined>(undefined);

effect(() => {
  if (session.value === undefined) keyInHand.value = undefined;
});
