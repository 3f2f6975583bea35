import type { Static } from "typebox";
import { Email, Id, nullable, Timestamp, Type } from "../../platform/shared/json-schema.ts";
import { Password } from "../passwords/json.ts";
import type { IssuedSession, ValidSession } from "./sessions.ts";

/** A day after the example of a time. */
const EXAMPLE_END = "2026-11-22T12:00:00.000Z";

const ListedSessionSchema = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    expires_at: { ...Timestamp, examples: [EXAMPLE_END] },
    address: Type.String({
      description: "The client's address at the log-in, of IPv6 the /64",
      examples: ["192.0.2.1", "2001:db8::/64"],
    }),
    client: nullable({
      description: "The browser and system of the log-in, or the program; null if it did not say",
      examples: ["Firefox on Linux"],
    }),
    current: Type.Boolean({ description: "Whether this request used it", examples: [true] }),
  },
  { $id: "ListedSession" },
);

const SessionListSchema = Type.Object(
  { sessions: Type.Array(Type.Ref("ListedSession#"), { description: "Newest first" }) },
  { $id: "SessionList" },
);

export function listedSessionJson(session: ValidSession): Static<typeof ListedSessionSchema> {
  const { id, createdAt, expiresAt, address, client = null, isCurrent } = session;
  const times = { created_at: createdAt, expires_at: expiresAt };
  return { id, ...times, address, client, current: isCurrent };
}

export const CredentialsBody = Type.Object({ email: Email, password: Password });

export const SessionSchema = Type.Object(
  {
    session_token: Type.String({
      pattern: "^svc_sess_[0-9a-f]{64}$",
      examples: [`svc_sess_${"3f".repeat(32)}`],
    }),
    expires_at: Type.String({
      format: "date-time",
      description: "24 hours after the log-in",
      examples: [EXAMPLE_END],
    }),
  },
  { $id: "Session" },
);

/** Every schema here that responses refer to by name. */
export const sessionSchemas = [SessionSchema, ListedSessionSchema, SessionListSchema];

export function sessionJson({ token, expiresAt }: IssuedSession): Static<typeof SessionSchema> {
  return { session_token: token, expires_at: expiresAt };
}
