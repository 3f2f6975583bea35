import { StoreUnavailable } from "../accounts/store.ts";

/**
 * The store has more to do than it gets done: who asks now would wait too long behind others, and
 * nothing was begun.
 */
export class StoreBusy extends StoreUnavailable {
  constructor() {
    super(undefined);
    this.name = "StoreBusy";
  }
}

/** Made once: it is thrown where there is no time for a stack. */
export const storeBusy = new StoreBusy();
