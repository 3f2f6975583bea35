import { argon2Sync } from "node:crypto";
import { setImmediate as otherTurn } from "node:timers/promises";
import { createPasswords } from "../../src/customers/passwords/hashing/argon2.ts";

/**
 * Argon2id at the least cost that it has, on the service's own thread: 0.1 ms for a password
 * instead of 30 ms to 60 ms of processor time, and no thread to start. The stored form names
 * production's parameters, so a service with production's passwords accepts none of these.
 */
export const quickPasswords = createPasswords({
  async hash(parameters) {
    // Other requests run meanwhile, as they do beside a hashing thread.
    await otherTurn();
    return argon2Sync("argon2id", { ...parameters, memory: 8 * parameters.parallelism, passes: 1 });
  },
  close: () => undefined,
  queue: () => ({ waiting: 0, rejected: 0 }),
});
