import assert from "node:assert/strict";
import { after } from "node:test";
import type { Config } from "../../../src/app/config.ts";
import type { Answer } from "../../support/client.ts";
import { startService, type TestService } from "../../support/service.ts";
import { PATH, type Posted } from "./messages.ts";

/** Posts to the endpoint with a key. */
export const postTo =
  (service: TestService, apiKey: string) =>
  (posted: Posted): Promise<Answer> =>
    service.post(PATH, { apiKey, ...posted });

/** Starts a service with one account, its session and a key. */
export async function startWithKey(config: Partial<Config> = {}) {
  const service = await startService({ config });
  const { session, apiKey, usedUnits } = await service.newCustomer();
  return {
    service,
    session,
    apiKey,
    post: postTo(service, apiKey),
    usedUnits,
    /** Runs something and asserts how many units it cost the account. */
    async charging<Result>(units: number, run: () => Promise<Result>): Promise<Result> {
      const used = await usedUnits();
      const result = await run();
      assert.equal((await usedUnits()) - used, units, "units charged");
      return result;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Starts one for all tests of a file, which stops after them. */
export async function startSharedWithKey(config: Partial<Config> = {}) {
  const started = await startWithKey(config);
  after(() => started[Symbol.asyncDispose]());
  return started;
}
