import { hash, randomBytes } from "node:crypto";
import { type BillingPeriod, billingPeriodAt } from "../../../src/customers/billing/rules.ts";
import type { Session } from "../../../src/customers/sessions/store.ts";
import type { Origin, OwnerOrigin } from "../../../src/platform/shared/origin.ts";

export const NOW = "2026-11-21T12:00:00.000Z";
export const PERIOD: BillingPeriod = billingPeriodAt(Date.parse(NOW));

/** The origin of an action of an account at a time. */
export const byAt = (at: string): Origin => ({
  actor: { kind: "account", address: "192.0.2.1" },
  at,
  newId,
});

/** The stored hash of a random secret. */
export const newHash = (): string => hash("sha256", randomBytes(32));

/** The origin of an action of a session at a time. */
export const bySession = ({ accountId, tokenHash }: Session, at = NOW): OwnerOrigin => ({
  ...byAt(at),
  session: { accountId, tokenHash },
});

let ids = 0;

/** A unique id; ids sort in order of creation. */
export const newId = (): string => `01a1fc7c-4ab2-7000-8000-${String(++ids).padStart(12, "0")}`;

/** An operator's action at a time. */
export const byOperatorAt = (at: string): Origin => ({
  ...byAt(at),
  actor: { kind: "operator", userName: "root", hostName: "one.example.org" },
});

/** An account's action at NOW. */
export const BY: Origin = byAt(NOW);
