/** The store could not run an operation, and no part of it counts as done. */
export class StoreUnavailable extends Error {
  /** Whether its commit may have taken effect all the same: the store did not report its end. */
  readonly isInDoubt: boolean;

  constructor(cause: unknown, isInDoubt = false) {
    super("The store is unavailable", { cause });
    this.name = "StoreUnavailable";
    this.isInDoubt = isInDoubt;
  }
}

export interface StoreStatus {
  /** Whether another process has written since the last call: a long transaction would block it. */
  hasOtherWriters(): Promise<boolean>;
  /** Settings of the database with which a crash of its machine can lose or damage data. */
  unsafeSettings(): Promise<readonly string[]>;
  /** @throws {StoreUnavailable} when the last write failed, and writes still fail. */
  checkWrites(): Promise<void>;
}

/**
 * The store is overloaded: the operation would have waited too long for others, and was not
 * started.
 */
export class StoreOverloaded extends StoreUnavailable {
  constructor() {
    super(undefined);
    this.name = "StoreOverloaded";
  }
}

/** Created once: it is thrown where a stack trace would cost too much time. */
export const storeOverloaded = new StoreOverloaded();
