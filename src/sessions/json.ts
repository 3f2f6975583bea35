import type { Static } from "typebox";
import { Id, Timestamp, Type } from "../shared/json-schema.ts";
import type { ValidSession } from "./sessions.ts";

const address = {
  type: ["string", "null"],
  description:
    "The client's address at the log-in, of IPv6 the /64; null for a log-in before the service " +
    "stored it",
  examples: ["192.0.2.1", "2001:db8::/64"],
};

const ListedSessionSchema = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    expires_at: Timestamp,
    address: address as unknown as ReturnType<typeof Type.String>,
    current: Type.Boolean({ description: "Whether this request used it" }),
  },
  { $id: "ListedSession" },
);

const SessionListSchema = Type.Object(
  { sessions: Type.Array(Type.Ref("ListedSession#"), { description: "Newest first" }) },
  { $id: "SessionList" },
);

/** Every schema here that responses refer to by name. */
export const sessionSchemas = [ListedSessionSchema, SessionListSchema];

type ListedSession = Omit<Static<typeof ListedSessionSchema>, "address"> & {
  readonly address: string | null;
};

export function listedSessionJson(session: ValidSession): ListedSession {
  const { id, createdAt, expiresAt, address: from, isCurrent } = session;
  const times = { created_at: createdAt, expires_at: expiresAt };
  return { id, ...times, address: from ?? null, current: isCurrent };
}
