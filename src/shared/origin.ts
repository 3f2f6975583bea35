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
}

/** @returns an action's origin, now. */
export function originNow(
  actor: Actor,
  { clock, secrets }: { readonly clock: Clock; readonly secrets: Pick<Secrets, "uuid"> },
): Origin {
  return { actor, at: timestamp(clock.nowMs()), newId: secrets.uuid };
}
