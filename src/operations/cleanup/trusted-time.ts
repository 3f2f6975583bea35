import type { Clock } from "../../platform/shared/clock.ts";
import type { Origin } from "../../platform/shared/origin.ts";

// The store keeps the newest time that a cleanup trusted. What cannot be undone (removing what is
// old, giving up a mail) compares with it, so that a wrong clock of one node costs nothing: see
// docs/decisions/0017-deletions-by-age-trust-no-jump.md.

/** The newest time that a cleanup trusted, on all nodes. */
export interface TrustedTimeStore {
  /** @returns undefined before the first cleanup. */
  newest(): Promise<string | undefined>;
  /** Trusts the time of an operator's command, whether it is newer or older. */
  accept(origin: Origin): Promise<void>;
}

/** The time for what cannot be undone: the clock's, but no newer one than a cleanup trusted. */
export type TrustedNowMs = () => Promise<number>;

export function createTrustedNowMs(uses: {
  readonly store: { readonly trustedTime: Pick<TrustedTimeStore, "newest"> };
  readonly clock: Clock;
}): TrustedNowMs {
  const { store, clock } = uses;
  return async () => {
    const nowMs = clock.nowMs();
    const trusted = await store.trustedTime.newest();
    return trusted === undefined ? nowMs : Math.min(nowMs, Date.parse(trusted));
  };
}
