/** The store could not do what it was asked, and nothing of it counts as done. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super("The store is unavailable", { cause });
    this.name = "StoreUnavailable";
  }
}

export interface StoreStatus {
  /** Whether another process has written since the last call, and would have to wait for us. */
  hasOtherWriters(): Promise<boolean>;
  /** @throws {StoreUnavailable} when what was to be written last could not be, and still cannot. */
  checkWrites(): Promise<void>;
}

/**
 * The store has more to do than it gets done: who asks now would wait too long behind others, and
 * nothing was begun.
 */
export class StoreOverloaded extends StoreUnavailable {
  constructor() {
    super(undefined);
    this.name = "StoreBusy";
  }
}

/** Made once: it is thrown where there is no time for a stack. */
export const storeOverloaded = new StoreOverloaded();
