import type { ConsolePage } from "../../src/platform/pages/paths.ts";
import { listApiKeys } from "./api/keys.ts";
import { ApiError } from "./api/request.ts";

/** The page that an owner starts on: home, or the keys while there is none to read rates. */
export async function findHome(): Promise<ConsolePage> {
  try {
    const keys = await listApiKeys();
    return keys.some((key) => key.revoked_at === undefined) ? "/home" : "/keys";
  } catch (error) {
    if (error instanceof ApiError) return "/keys";
    throw error;
  }
}
