import type { Static } from "typebox";
import { Id, Timestamp, Type } from "../shared/json-schema.ts";
import type { AuditEvent } from "./rules.ts";
import type { ListedEvent } from "./store.ts";

const EventSchema = Type.Object(
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
    details: Type.Object(
      {},
      { additionalProperties: true, description: "Names, ids and counts; never a secret" },
    ),
  },
  { $id: "Event" },
);

const EventListSchema = Type.Object(
  { events: Type.Array(Type.Ref("Event#"), { description: "Newest first" }) },
  { $id: "EventList" },
);

/** Every schema here that responses refer to by name. */
export const auditSchemas = [EventSchema, EventListSchema];

/** An event as its account sees it: without the operator's name and machine. */
export function eventJson(event: AuditEvent): Static<typeof EventSchema> {
  const { id, at, actor, action, origin, details } = event;
  const address = actor === "account" && origin !== undefined ? { address: origin } : {};
  return { id, at, actor, action, ...address, details };
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
