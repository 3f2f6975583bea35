import type { Static } from "typebox";
import { EXAMPLE_ID, Id, Timestamp, Type, Units } from "../shared/json-schema.ts";
import { type AuditEvent, ownEvent } from "./rules.ts";
import type { ListedEvent } from "./store.ts";

/** Every detail that an account's events have. */
const EventDetailsSchema = Type.Object(
  {
    api_key_id: Type.Optional(Id),
    key_prefix: Type.Optional(Type.String()),
    expires_at: Type.Optional(Timestamp),
    units_per_period: Type.Optional(
      Type.Integer({ description: "A cap; without it there is none" }),
    ),
    units_per_day: Type.Optional(Type.Integer({ description: "A cap; without it there is none" })),
    ends_at: Type.Optional(Timestamp),
    new_api_key_id: Type.Optional(Id),
    new_key_prefix: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String({ description: "burned: the key was found in a leak" })),
    keys_revoked: Type.Optional(Type.Integer({ minimum: 0 })),
    session_id: Type.Optional(Id),
    sessions: Type.Optional(Type.Integer({ minimum: 0 })),
    plan: Type.Optional(Type.String()),
    invited: Type.Optional(Type.Boolean()),
    quota_mails: Type.Optional(Type.Boolean()),
    quota_units: Type.Optional(Units),
    quota_until: Type.Optional(Timestamp),
    quota: Type.Optional(Type.String({ description: "plan: that of its plan counts again" })),
    customer_number: Type.Optional(Type.String()),
    grant_id: Type.Optional(Id),
    units: Type.Optional({ ...Units, description: "Of a grant, or of a threshold" }),
    used_units: Type.Optional(Units),
    reference: Type.Optional(Type.String()),
    period: Type.Optional(Type.String({ examples: ["2026-11"] })),
    threshold: Type.Optional(
      Type.Integer({ description: "In percent of the quota, or of the key's `units_per_period`" }),
    ),
    thresholds: Type.Optional(Type.String({ examples: ["80%, 500"] })),
  },
  {
    description: "Names, ids and counts, by the action; never a secret",
    examples: [{ api_key_id: EXAMPLE_ID, key_prefix: "svc_live_3f3f3f3f" }],
  },
);

export const EventSchema = Type.Object(
  {
    id: Id,
    at: Timestamp,
    actor: Type.Enum(["account", "operator", "service"], {
      description: "Who acted: this account, an operator of the service, or the service itself",
    }),
    action: Type.String({ examples: ["api_key.created"] }),
    address: Type.Optional(
      Type.String({
        description: "The client's address; of IPv6 the /64. Only where the account acted",
        examples: ["192.0.2.1", "2001:db8::/64"],
      }),
    ),
    details: EventDetailsSchema,
  },
  { $id: "AccountEvent" },
);

const EventListSchema = Type.Object(
  { events: Type.Array(Type.Ref("AccountEvent#"), { description: "Newest first" }) },
  { $id: "EventList" },
);

/** Every schema here that responses refer to by name. */
export const auditSchemas = [EventSchema, EventListSchema];

/** An event as its account sees it. */
export function eventJson(event: AuditEvent): Static<typeof EventSchema> {
  const { details, ...own } = ownEvent(event);
  return { ...own, details: details as Static<typeof EventDetailsSchema> };
}

/** An event as the operator sees it. */
export function listedEventJson(event: ListedEvent) {
  return {
    id: event.id,
    at: event.at,
    actor: event.actor,
    actor_name: event.actorName ?? null,
    origin: event.origin ?? null,
    action: event.action,
    account_id: event.accountId ?? null,
    email: event.email ?? null,
    details: event.details,
  };
}
