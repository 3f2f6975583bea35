import type { Store } from "../../application/ports.ts";
import type { ObserveBatch } from "../observers.ts";
import { accountStore } from "./accounts.ts";
import { apiKeyStore } from "./api-keys.ts";
import { authLimitStore } from "./auth-windows.ts";
import type { Engine } from "./engine.ts";
import { mailTokenStore } from "./mail-tokens.ts";
import { mailStore } from "./mails.ts";
import { observedBatches } from "./observed-batches.ts";
import { planStore } from "./plans.ts";
import { rateStore } from "./rates.ts";
import { createReadBatcher } from "./read-batcher.ts";
import { sessionStore } from "./sessions.ts";
import { sourceStore } from "./sources.ts";
import { tidyingStore } from "./tidying.ts";
import { usageStore } from "./usage.ts";

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
