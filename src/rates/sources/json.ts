import type { SourceStatus } from "./refresh.ts";

export function sourceStatusJson(status: SourceStatus) {
  return {
    source: status.source,
    pairs: status.pairs,
    newest_as_of: status.newestAsOf ?? null,
    missed_publications: status.missedPublications,
    missed_pairs: status.missedPairs.count,
    missed_pair_names: status.missedPairs.names,
    last_success_at: status.lastSuccessAt ?? null,
    last_error_at: status.lastErrorAt ?? null,
    last_error: status.lastError ?? null,
    failures: status.failures,
    next_attempt_at: status.nextAttemptAt,
  };
}
