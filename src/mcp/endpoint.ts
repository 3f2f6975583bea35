import type { Logger } from "pino";
import type { ApiKeys } from "../api-keys/api-keys.ts";
import type { ReadUsage } from "../billing/usage.ts";
import type { ConvertCurrency } from "../metering/convert.ts";
import type { ReadRate } from "../metering/read-rate.ts";
import type { Listings } from "../rates/listing.ts";
import { limitError } from "./bounds.ts";
import { createCallTool, type ObserveToolCall } from "./call-tool.ts";
import { createDirectCalls } from "./direct.ts";
import type { HandleMcpRequest, McpRequest, McpResponse } from "./request.ts";
import { createSdkHandler } from "./sdk.ts";
import { createTools } from "./tools.ts";

/**
 * Creates the endpoint of the Model Context Protocol (Streamable HTTP, stateless, JSON responses)
 * for the revision 2026-07-28 and the earlier ones with `initialize`.
 */
export function createMcpEndpoint(deps: {
  readonly readRate: ReadRate;
  readonly convertCurrency: ConvertCurrency;
  readonly readUsage: ReadUsage;
  readonly listings: Listings;
  readonly apiKeys: ApiKeys;
  readonly version: string;
  readonly log: Logger;
  readonly observeCall?: ObserveToolCall | undefined;
}): HandleMcpRequest {
  const { apiKeys, listings, version, log, observeCall } = deps;
  const info = { name: "kurs", title: "Kurs", version };
  const tools = createTools(deps);
  const callTool = createCallTool(log, observeCall);
  const callDirectly = createDirectCalls(tools, callTool, info);
  const handleWithSdk = createSdkHandler({ tools, listings }, callTool, info);

  const handleOther = async (
    request: McpRequest,
    body: unknown,
    rejection: McpResponse | undefined,
  ) => {
    // Tools check the key themselves, together with their charge; other requests need this check.
    await apiKeys.authenticate(request.apiKey);
    return rejection ?? handleWithSdk(request, body);
  };

  // No async function: each call would pay for its promise.
  return (request) => {
    const body = parsed(request.body);
    const rejection = limitError(request.body, body);
    const response = rejection === undefined ? callDirectly(request, body) : undefined;
    return response ?? handleOther(request, body, rejection);
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
