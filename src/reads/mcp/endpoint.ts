import type { Logger } from "pino";
import type { ApiKeys } from "../../customers/api-keys/api-keys.ts";
import type { UsageReads } from "../../customers/billing/usage.ts";
import type { Coverage } from "../../rates/coverage/coverage.ts";
import type { ConvertCurrency } from "../metering/convert.ts";
import type { ReadRate } from "../metering/read-rate.ts";
import { limitError } from "./bounds.ts";
import { createCallTool, type ObserveToolCall } from "./call-tool.ts";
import { createDirectCalls } from "./direct.ts";
import type { HandleMcpRequest, McpRequest } from "./request.ts";
import { createSdkHandler } from "./sdk.ts";
import { isShortCall } from "./short-call.ts";
import { createTools } from "./tools.ts";

/**
 * Creates the endpoint of the Model Context Protocol (Streamable HTTP, stateless, JSON responses)
 * for the revision 2026-07-28 and the earlier ones with `initialize`.
 */
export function createMcpEndpoint(deps: {
  readonly readRate: ReadRate;
  readonly convertCurrency: ConvertCurrency;
  readonly usage: Pick<UsageReads, "readUsage">;
  readonly coverage: Coverage;
  readonly apiKeys: ApiKeys;
  readonly version: string;
  readonly log: Logger;
  readonly observeCall?: ObserveToolCall | undefined;
}): HandleMcpRequest {
  const { apiKeys, coverage, version, log, observeCall } = deps;
  const info = { name: "kurs", title: "Kurs", version };
  const tools = createTools(deps);
  const callTool = createCallTool(log, observeCall);
  const callDirectly = createDirectCalls(tools, callTool, info);
  const handleWithSdk = createSdkHandler({ tools, coverage }, callTool, info);

  const handleOther = async (request: McpRequest) => {
    const unpaid = await request.awaitUnpaid?.();
    const caller = await apiKeys.authenticate(request.apiKey);
    request.identify?.(caller);
    await unpaid?.count(caller.accountId);
    const body = parsed(request.body);
    const rejection = limitError(body);
    return rejection ?? callDirectly(request, body) ?? handleWithSdk(request, body);
  };

  // A short call checks its key together with its charge; every other message is parsed after the
  // check. No async function: each call would pay for its promise.
  return (request) => {
    const body = isShortCall(request.body) ? parsed(request.body) : undefined;
    const isWithinLimits = body !== undefined && limitError(body) === undefined;
    const response = isWithinLimits ? callDirectly(request, body) : undefined;
    return response ?? handleOther(request);
  };
}

/** @returns `undefined` for invalid JSON, which the SDK rejects after its earlier checks. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
