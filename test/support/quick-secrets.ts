import { argon2Sync } from "node:crypto";
import { setImmediate as otherTurn } from "node:timers/promises";
import type { HashPool } from "../../src/platform/hashing/hash-pool.ts";
import { createSecrets } from "../../src/platform/hashing/secrets.ts";
import type { Secrets } from "../../src/platform/shared/secrets.ts";

/**
 * Argon2id at the least cost that it has, on the service's own thread: 0.1 ms for a password
 * instead of 30 ms to 60 ms of processor time, and no thread to start. The stored form names
 * production's parameters, so a service with production's secrets accepts none of these passwords.
 */
export const quickHashing: HashPool = {
  async hash(parameters) {
    // Other requests run meanwhile, as they do beside a hashing thread.
    await otherTurn();
    return argon2Sync("argon2id", { ...parameters, memory: 8 * parameters.parallelism, passes: 1 });
  },
  close: () => undefined,
  queue: () => ({ waiting: 0, rejected: 0 }),
};

/** Production's secrets, but for the cost of a password and what a test draws in another way. */
export function quickSecrets(own: Partial<Secrets> = {}) {
  const drawn = { ...createSecrets(quickHashing), ...own };
  let last = "";
  const secrets: Secrets = {
    ...drawn,
    secret() {
      last = drawn.secret();
      return last;
    },
  };
  /** The last secret that was drawn. */
  const lastSecret = () => last;
  return { secrets, lastSecret };
}
