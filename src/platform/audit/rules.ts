import type { Actor } from "../shared/origin.ts";

/** The events in one response to an account; fewer mean that there are no older ones. */
export const EVENTS_PER_PAGE = 100;

/** Names every pair, in the column of an event's pair: the history of each has a restore. */
export const EVERY_PAIR = "*";

/** Every action that the audit log records. A metered read is none. */
export type Action =
  | "account.registered"
  | "account.created"
  | "account.invited"
  | "account.invitation_withdrawn"
  | "account.plan_changed"
  | "account.quota_changed"
  | "account.customer_number_changed"
  | "account.suspended"
  | "account.resumed"
  | "account.deleted"
  | "account.export_begun"
  | "account.exported"
  | "account.export_cut_off"
  | "account.quota_mails_changed"
  | "email.verification_requested"
  | "email.verified"
  | "password.reset_requested"
  | "password.reset_link_created"
  | "password.changed"
  | "session.started"
  | "session.ended"
  | "sessions.ended"
  | "api_key.created"
  | "api_key.revoked"
  | "api_key.limits_set"
  | "api_key.rotated"
  | "units.granted"
  | "units.revoked"
  | "quota.threshold_reached"
  | "thresholds.set"
  | "plan.set"
  | "plan.deleted"
  | "rates.imported"
  | "rates.backfilled"
  | "rates.signed"
  | "rate.held"
  | "rate.released"
  | "rate.dropped"
  | "rate.owned"
  | "rate.suspended"
  | "rate.resumed"
  | "rate.deleted"
  | "store.restored"
  | "clock.accepted";

/** What an action was about: names, ids and counts, never a secret. */
export type EventDetails = Readonly<Record<string, string | number | boolean>>;

/** What its account sees of an event: everything but the operator's name and machine. */
export function ownEvent({ id, at, actor, action, origin, details }: AuditEvent) {
  const address = actor === "account" && origin !== undefined ? { address: origin } : {};
  return { id, at, actor, action, ...address, details };
}

/** An event of the audit log. */
export interface AuditEvent {
  /** A UUIDv7. */
  readonly id: string;
  /** RFC 3339 in UTC. */
  readonly at: string;
  readonly actor: Actor["kind"];
  /** The operator's user name. */
  readonly actorName: string | undefined;
  /** The client's address (of IPv6 the /64), or the operator's machine. */
  readonly origin: string | undefined;
  readonly action: string;
  /** The account that the action concerns. */
  readonly accountId: string | undefined;
  readonly details: EventDetails;
}
