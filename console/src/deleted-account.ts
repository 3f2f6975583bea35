import { effect, signal } from "@preact/signals";
import { session } from "./session.ts";

/** The email of the account that was deleted in this tab, until the next log-in. */
export const deletedEmail = signal<string | undefined>(undefined);

effect(() => {
  if (session.value !== undefined) deletedEmail.value = undefined;
});
