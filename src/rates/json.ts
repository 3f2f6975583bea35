import type { MailRecord } from "../mail/store.ts";
import type { AccountSummary, HeldRate, Plan, StoredRate } from "../accounts/store.ts";
import type { SourceStatus } from "./refresh.ts";
import { remainingUnits } from "../billing/rules.ts";
import { wireRate } from "../shared/failure-json.ts";

// What the commands print with --json.

export function wireStoredRate({ source, suspendedAt, ...rate }: StoredRate) {
  return { ...wireRate(rate), source, suspended_at: suspendedAt ?? null };
}

export function wirePlan({ name, unitsPerPeriod }: Plan) {
  return { name, units_per_period: unitsPerPeriod };
}

export function wireAccountSummary(account: AccountSummary) {
  const { id, email, plan, createdAt, emailVerifiedAt, activeKeys, quota } = account;
  return {
    id,
    email,
    created_at: createdAt,
    email_verified: emailVerifiedAt !== undefined,
    plan,
    active_keys: activeKeys,
    used_units: quota.usedUnits,
    quota_units: quota.quotaUnits,
    remaining_units: remainingUnits(quota),
  };
}

export function wireMail(mail: MailRecord) {
  return {
    id: mail.id,
    kind: mail.kind,
    email: mail.email,
    state: mailState(mail),
    created_at: mail.createdAt,
    attempts: mail.attempts,
    next_attempt_at: mail.nextAttemptAt ?? null,
    last_error: mail.lastError ?? null,
    delivered_at: mail.deliveredAt ?? null,
    given_up_at: mail.givenUpAt ?? null,
  };
}

/** What has become of a mail. */
export function mailState({ deliveredAt, givenUpAt }: MailRecord) {
  if (deliveredAt !== undefined) return "delivered";
  return givenUpAt === undefined ? "waiting" : "given up";
}

export function wireHeldRate({ heldAt, standing, ...rate }: HeldRate) {
  return { ...wireRate(rate), source: rate.source, held_at: heldAt, served_rate: standing };
}

export function wireSourceStatus(status: SourceStatus) {
  return {
    source: status.source,
    pairs: status.pairs,
    newest_as_of: status.newestAsOf ?? null,
    missed_publications: status.missedPublications,
    last_success_at: status.lastSuccessAt ?? null,
    last_error_at: status.lastErrorAt ?? null,
    last_error: status.lastError ?? null,
    failures: status.failures,
    next_attempt_at: status.nextAttemptAt,
  };
}
