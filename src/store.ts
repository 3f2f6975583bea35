import type { Store } from "./accounts/store.ts";
import type { ObserveBatch } from "./metrics/observers.ts";
import { accountStore } from "./accounts/sql.ts";
import { apiKeyStore } from "./api-keys/sql.ts";
import { authLimitStore } from "./accounts/auth-windows-sql.ts";
import type { Engine } from "./storage/engine.ts";
import { mailTokenStore } from "./accounts/tokens-sql.ts";
import { mailStore } from "./mail/sql.ts";
import { observedBatches } from "./metering/batch/observed-batches.ts";
import { planStore } from "./billing/plans-sql.ts";
import { rateStore } from "./rates/sql.ts";
import { createReadBatcher } from "./metering/batch/batcher.ts";
import { sessionStore } from "./accounts/sessions-sql.ts";
import { sourceStore } from "./rates/sources-sql.ts";
import { tidyingStore } from "./cleanup/sql.ts";
import { usageStore } from "./billing/sql.ts";

/**
 * Joins the store's parts, each its noun's statements, over one engine. Owns the engine.
 *
 * @param observeBatch is told of each batch of metered reads.
 */
export function createStore(engine: Engine, observeBatch?: ObserveBatch): Store {
  const batches = observeBatch === undefined ? engine : observedBatches(engine, observeBatch);
  return {
    ...accountStore(engine),
    ...sessionStore(engine),
    ...apiKeyStore(engine),
    ...authLimitStore(engine),
    ...planStore(engine),
    ...usageStore(engine),
    ...rateStore(engine),
    ...sourceStore(engine),
    ...mailTokenStore(engine),
    ...mailStore(engine),
    ...tidyingStore(engine),
    ...createReadBatcher(batches),
    checkWrites: () => engine.checkWrites(),
    writtenByOthers: () => engine.writtenByOthers(),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
