/** What a visitor may know of a service without an account: numbers, and no rate. */
export interface About {
  readonly version: string;
  readonly pairs: number;
  /** Publishers that own a pair. */
  readonly publishers: number;
  /** Those of them that have missed no publication. */
  readonly publishersUpToDate: number;
  /** Those of them whose last fetch failed. */
  readonly publishersFailing: number;
  /** When a fetch from one of them last succeeded; RFC 3339, undefined before the first time. */
  readonly lastSuccessAt: string | undefined;
  /** The units of a new account in a billing period; undefined without the plan for them. */
  readonly freeUnits: number | undefined;
}

export function aboutJson(about: About) {
  return {
    version: about.version,
    pairs: about.pairs,
    publishers: about.publishers,
    publishers_up_to_date: about.publishersUpToDate,
    publishers_failing: about.publishersFailing,
    last_success_at: about.lastSuccessAt ?? null,
    free_units: about.freeUnits ?? null,
  };
}
