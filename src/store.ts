import { authLimitStore } from "./accounts/auth-windows-sql.ts";
import { sessionStore } from "./accounts/sessions-sql.ts";
import { accountStore } from "./accounts/sql.ts";
import type { AccountStore, AuthLimitStore, SessionStore } from "./accounts/store.ts";
import { mailTokenStore } from "./accounts/tokens-sql.ts";
import { apiKeyStore } from "./api-keys/sql.ts";
import type { ApiKeyStore } from "./api-keys/store.ts";
import { planStore } from "./billing/plans-sql.ts";
import { usageStore } from "./billing/sql.ts";
import type { PlanStore, UsageStore } from "./billing/store.ts";
import type { TidyingStore } from "./cleanup/cleanup.ts";
import { tidyingStore } from "./cleanup/sql.ts";
import { mailStore } from "./mail/sql.ts";
import type { MailStore, MailTokenStore } from "./mail/store.ts";
import { createReadBatcher, type ObserveBatch } from "./metering/batch/batcher.ts";
import { observedBatches } from "./metering/batch/observed-batches.ts";
import type { MeterStore } from "./metering/store.ts";
import { sourceStore } from "./rates/sources-sql.ts";
import { rateStore } from "./rates/sql.ts";
import type { RateStore, SourceStore } from "./rates/store.ts";
import type { SharedStore } from "./shared/store.ts";
import type { Engine } from "./storage/engine.ts";

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

export interface Store
  extends AccountStore,
    SessionStore,
    ApiKeyStore,
    AuthLimitStore,
    PlanStore,
    UsageStore,
    RateStore,
    SourceStore,
    MailTokenStore,
    MailStore,
    TidyingStore,
    SharedStore,
    MeterStore,
    AsyncDisposable {}
