import { effect, signal } from "@preact/signals";
import type { Static } from "typebox";
import type {
  DailyUsageSchema,
  grantJson,
  UsageSchema,
} from "../../../src/customers/billing/json.ts";
import { session } from "../session.ts";
import { askAsOwner } from "./request.ts";

export type Usage = Static<typeof UsageSchema>;

export type DailyUsage = Static<typeof DailyUsageSchema>;

/** Units granted beside the plan's. */
export type Grant = ReturnType<typeof grantJson>;

/** The usage that the service last sent in this session. */
export const lastUsage = signal<Usage | undefined>(undefined);

effect(() => {
  if (session.value === undefined) lastUsage.value = undefined;
});

export async function readUsage(): Promise<Usage> {
  const reader = session.value?.token;
  const usage = await askAsOwner<Usage>("v1/account/usage");
  if (session.peek()?.token === reader) lastUsage.value = usage;
  return usage;
}

export const readDailyUsage = async (days: number) =>
  (await askAsOwner<DailyUsage>(`v1/account/usage/daily?days=${days}`)).days;

/** Lists the units granted to the account, oldest first. */
export const listGrants = async () =>
  (await askAsOwner<{ readonly grants: readonly Grant[] }>("v1/account/grants")).grants;
