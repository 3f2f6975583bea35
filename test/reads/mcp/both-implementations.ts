import { pino } from "pino";
import { createApiKeys } from "../../../src/customers/api-keys/api-keys.ts";
import { createUsageReads } from "../../../src/customers/billing/usage.ts";
import { createIterationQueue } from "../../../src/platform/async/iteration-queue.ts";
import { createSecrets } from "../../../src/platform/shared/secrets.ts";
import { createCoverage } from "../../../src/rates/coverage/coverage.ts";
import { createCallTool } from "../../../src/reads/mcp/call-tool.ts";
import { type CallDirectly, createDirectCalls } from "../../../src/reads/mcp/direct.ts";
import { createSdkHandler, type HandleWithSdk } from "../../../src/reads/mcp/sdk.ts";
import { createTools } from "../../../src/reads/mcp/tools.ts";
import { createConvertCurrency } from "../../../src/reads/metering/convert.ts";
import { createReadRate } from "../../../src/reads/metering/read-rate.ts";
import { newAccount, newMailToken, newSession, UNCHANGED } from "../../contract/suite/customers.ts";
import { BY, NOW } from "../../contract/suite/origins.ts";
import { EUR_USD, storeRates } from "../../contract/suite/rates-stored.ts";
import { pastRates } from "../../support/rates.ts";
import { TestClock } from "../../support/service.ts";
import type { Store } from "../../support/stores.ts";

/** Direct calls and the SDK, on the real use cases and a real store. */
export interface Ways {
  readonly short: CallDirectly;
  readonly sdk: HandleWithSdk;
  /** Two accounts in the same state, so that each implementation has its own to charge. */
  readonly twins: Readonly<Record<Situation, readonly [Customer, Customer]>>;
  usedUnits(customer: Customer): Promise<number>;
}

export interface Customer {
  readonly accountId: string;
  readonly apiKey: string;
}

/** The state of the account or the key. */
export const situations = ["ample", "exhausted", "revoked"] as const;
export type Situation = (typeof situations)[number];

export async function waysOf(store: Store): Promise<Ways> {
  await storeRates(store, [EUR_USD]);
  const parts = { store, clock: new TestClock(NOW), secrets: createSecrets() };
  const apiKeys = createApiKeys({
    ...parts,
    keyMaxAgeDays: undefined,
    consumeAuthAttempt: async () => {},
  });
  const readRate = createReadRate({
    ...parts,
    countMissed: () => 0,
    pastRates,
    publicUrl: () => "http://127.0.0.1",
  });
  const usage = createUsageReads(parts);
  const convertCurrency = createConvertCurrency({ readRate, apiKeys });
  const tools = createTools({ readRate, convertCurrency, usage, apiKeys });
  const coverage = createCoverage({
    store: { ...store.sources, ...store.coverage },
    clock: parts.clock,
    switchedOn: [],
    knownSources: [],
    nextIteration: createIterationQueue(),
  });
  const callTool = createCallTool(pino({ level: "silent" }));
  const info = { name: "kurs", title: "Kurs", version: "0.1.0" };

  const newCustomer = async (plan: string): Promise<Customer & { revoke(): Promise<void> }> => {
    const account = { ...newAccount(), plan };
    await store.accounts.create(account, newMailToken(), BY);
    const session = parts.secrets.secret();
    const tokenHash = parts.secrets.hash(session);
    await store.sessions.create(newSession(account.id, { tokenHash }), UNCHANGED, BY);
    const inUse = { accountId: account.id, token: session, clientAddress: "192.0.2.1" };
    const { key, secret } = await apiKeys.create(inUse, { name: "test" });
    return { accountId: account.id, apiKey: secret, revoke: () => apiKeys.revoke(inUse, key.id) };
  };
  const newTwins = async (name: string, unitsPerPeriod: number) => {
    await store.plans.set({ name, unitsPerPeriod }, BY);
    return [await newCustomer(name), await newCustomer(name)] as const;
  };
  const revoked = await newTwins("revoked", 1_000_000);
  for (const { revoke } of revoked) await revoke();
  return {
    short: createDirectCalls(tools, callTool, info),
    sdk: createSdkHandler({ tools, coverage }, callTool, info),
    twins: {
      ample: await newTwins("ample", 1_000_000),
      exhausted: await newTwins("exhausted", 0),
      revoked,
    },
    usedUnits: async ({ accountId }) => (await usage.readUsage(accountId)).usedUnits,
  };
}
