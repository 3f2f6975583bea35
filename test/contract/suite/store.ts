import { suite } from "node:test";
import { accountSuite } from "./accounts.ts";
import { apiKeySuite, sessionSuite } from "./credentials.ts";
import { dailyUsageSuite } from "./daily-usage.ts";
import type { CreateDatabase } from "./database.ts";
import { engineSuite } from "./engine.ts";
import { mailTokenSuite } from "./mail-tokens.ts";
import { meterSuite } from "./meter.ts";
import { outboxSuite } from "./outbox.ts";
import { rateSuite } from "./rates.ts";
import { tidyingSuite } from "./tidying.ts";
import { authLimitSuite, planSuite } from "./windows-and-plans.ts";

/** Every operation of the Store port with its edge cases: each database must pass all of it. */
export function storeSuite(name: string, createDatabase: CreateDatabase): void {
  suite(`${name}: accounts`, () => accountSuite(createDatabase));
  suite(`${name}: sessions`, () => sessionSuite(createDatabase));
  suite(`${name}: API keys`, () => apiKeySuite(createDatabase));
  suite(`${name}: windows of the abuse limiter`, () => authLimitSuite(createDatabase));
  suite(`${name}: mail tokens`, () => mailTokenSuite(createDatabase));
  suite(`${name}: outbox`, () => outboxSuite(createDatabase));
  suite(`${name}: plans and usage`, () => planSuite(createDatabase));
  suite(`${name}: daily usage`, () => dailyUsageSuite(createDatabase));
  suite(`${name}: rates`, () => rateSuite(createDatabase));
  suite(`${name}: tidying`, () => tidyingSuite(createDatabase));
  suite(`${name}: metered reads`, () => meterSuite(createDatabase));
  suite(`${name}: transactions`, () => engineSuite(createDatabase));
}
