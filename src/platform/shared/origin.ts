import type { Clock } from "./clock.ts";
import { timestamp } from "./instant.ts";
import type { Secrets } from "./secrets.ts";

/** Who acts, and from where. */
export type Actor =
  /** The account that the action concerns. */
  | { readonly kind: "account"; readonly address: string }
  /** A person who runs a command. */
  | { readonly kind: "operator"; readonly userName: string; readonly hostName: string }
  /** A server, in its background work or at its start. */
  | { readonly kind: "service" };

/** The origin of an action, for its events in the audit log. */
export interface Origin {
  readonly actor: Actor;
  /** When, RFC 3339 in UTC: also the time that the action stores elsewhere. */
  readonly at: string;
  /** Makes the id of an event, a UUIDv7. */
  readonly newId: () => string;
  /** The session that acts: it must still have access when the action changes something. */
  readonly session?: { readonly accountId: string; readonly tokenHash: string };
}

/** The origin of an action that only owners take. */
export type OwnerOrigin = Required<Origin>;

/** The session of a request, whose token the guard has accepted, and its client's address. */
export interface SessionInUse {
  readonly accountId: string;
  readonly token: string;
  readonly clientAddress: string;
}

/** @returns an action's origin, now. */
export function originNow(
  actor: Actor,
  { clock, secrets }: { readonly clock: Clock; readonly secrets: Pick<Secrets, "uuid"> },
): Origin {
  return { actor, at: timestamp(clock.nowMs()), newId: secrets.uuid };
}

/** @returns the origin of an action of a session, now. */
export function ownerNow(
  { accountId, token, clientAddress: address }: SessionInUse,
  uses: { readonly clock: Clock; readonly secrets: Pick<Secrets, "uuid" | "hash"> },
): OwnerOrigin {
  const session = { accountId, tokenHash: uses.secrets.hash(token) };
  return { ...originNow({ kind: "account", address }, uses), session };
}
