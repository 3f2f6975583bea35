import type { Logger } from "pino";
import type { AuditStore } from "../platform/audit/store.ts";
import type { Clock } from "../platform/shared/clock.ts";
import { originNow } from "../platform/shared/origin.ts";
import type { Secrets } from "../platform/shared/secrets.ts";
import { createDeleteAccount } from "./administration/administration.ts";
import { createExportOwnAccount } from "./administration/export.ts";
import { createApiKeys } from "./api-keys/api-keys.ts";
import { createAuthLimiter } from "./auth-limit/auth-limiter.ts";
import { FREE_PLAN } from "./billing/rules.ts";
import { createReadStatement, type SignDetached } from "./billing/statements.ts";
import { createUsageReads } from "./billing/usage.ts";
import { createMailedLinks } from "./mailed-links/mailed-links.ts";
import { loadCommonPasswords } from "./passwords/hashing/common-passwords.ts";
import { createHashNewPassword } from "./passwords/new-password.ts";
import type { Passwords } from "./passwords/passwords.ts";
import { createRegister } from "./registration/register.ts";
import { createSessions } from "./sessions/sessions.ts";
import type { CustomerSettings } from "./settings.ts";
import type { customerGroups } from "./store.ts";

export { createPasswords } from "./passwords/hashing/argon2.ts";
export type { Passwords };

interface CustomerDeps {
  readonly store: ReturnType<typeof customerGroups> & { readonly audit: AuditStore };
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly log: Logger;
  readonly signDetached: SignDetached;
}

/** Makes the use cases of customers. */
export function createCustomers(settings: CustomerSettings, deps: CustomerDeps) {
  const { store, clock, secrets, passwords, log, signDetached } = deps;
  const { authCallsPerWindow: callsPerWindow, authWindowSeconds: windowSeconds } = settings;
  const { requireVerifiedEmail, registration, keyMaxAgeDays } = settings;
  const parts = { store, clock, secrets };
  const consumeAuthAttempt = createAuthLimiter({ ...parts, callsPerWindow, windowSeconds });
  const hashNewPassword = createHashNewPassword({ passwords, loadCommonPasswords });
  const onError = (err: unknown) => log.error({ err }, "the end of an export was not recorded");
  return {
    ...parts,
    consumeAuthAttempt,
    register: createRegister({ ...parts, registration, consumeAuthAttempt, hashNewPassword }),
    sessions: createSessions({ ...parts, passwords, consumeAuthAttempt, requireVerifiedEmail }),
    mailedLinks: createMailedLinks({ ...parts, consumeAuthAttempt, hashNewPassword }),
    apiKeys: createApiKeys({ ...parts, keyMaxAgeDays, consumeAuthAttempt }),
    usage: createUsageReads(parts),
    readStatement: createReadStatement(parts),
    signDetached,
    deleteAccount: createDeleteAccount({ ...parts, passwords, consumeAuthAttempt }),
    exportOwnAccount: createExportOwnAccount({ ...parts, consumeAuthAttempt, onError }),
    /** The units of a new account in a billing period; undefined without the plan for them. */
    readFreeUnits: async () =>
      (await store.plans.list()).find(({ name }) => name === FREE_PLAN)?.unitsPerPeriod,
  };
}

export type Customers = ReturnType<typeof createCustomers>;

/** Stores the quota of the free plan that the operator has set. */
export async function prepareCustomers(
  { freePlanUnits: unitsPerPeriod }: CustomerSettings,
  deps: Pick<CustomerDeps, "store" | "clock" | "secrets">,
): Promise<void> {
  if (unitsPerPeriod === undefined) return;
  const plan = { name: FREE_PLAN, unitsPerPeriod };
  await deps.store.plans.set(plan, originNow({ kind: "service" }, deps));
}
