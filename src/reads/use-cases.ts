import type { Logger } from "pino";
import type { ApiKeys } from "../customers/api-keys/api-keys.ts";
import type { UsageReads } from "../customers/billing/usage.ts";
import type { Clock } from "../platform/shared/clock.ts";
import { version } from "../platform/shared/program/version.ts";
import type { Secrets } from "../platform/shared/secrets.ts";
import type { Coverage } from "../rates/coverage/coverage.ts";
import type { PastRates } from "../rates/served/rules/past.ts";
import type { CountMissed } from "../rates/served/rules/rate.ts";
import type { ObserveToolCall } from "./mcp/call-tool.ts";
import type { HandleMcpRequest } from "./mcp/request.ts";
import { createConvertCurrency } from "./metering/convert.ts";
import { createReadRate, isFree } from "./metering/read-rate.ts";
import type { MeterStore } from "./metering/store.ts";

export type { ObserveToolCall };
export { isFree };

/** Makes the use cases of metered reads. */
export function createReads(uses: {
  readonly store: { readonly metering: MeterStore };
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "hash">;
  readonly log: Logger;
  readonly apiKeys: ApiKeys;
  readonly usage: UsageReads;
  readonly coverage: Coverage;
  readonly countMissed: CountMissed;
  readonly pastRates: PastRates;
  readonly publicUrl: () => string;
  readonly observeCall?: ObserveToolCall | undefined;
}) {
  const { apiKeys, log } = uses;
  const readRate = createReadRate(uses);
  const convertCurrency = createConvertCurrency({ readRate, apiKeys });
  const handleMcpRequest: HandleMcpRequest = lazy(async () => {
    const { createMcpEndpoint } = await import("./mcp/endpoint.ts");
    return createMcpEndpoint({ ...uses, readRate, convertCurrency, version });
  });
  return { readRate, handleMcpRequest, apiKeys, log };
}

export type Reads = ReturnType<typeof createReads>;

/**
 * Creates a part on its first call. The official MCP SDK takes 40 MB and a tenth of a second to
 * load, which a node without MCP calls saves.
 */
function lazy<Given, Result>(
  make: () => Promise<(given: Given) => Promise<Result>>,
): (given: Given) => Promise<Result> {
  let call = async (given: Given): Promise<Result> => {
    call = await make();
    return call(given);
  };
  return (given) => call(given);
}
