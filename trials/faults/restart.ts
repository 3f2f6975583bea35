import type { PostgresServer } from "../../harness/postgres.ts";
import { eventually } from "../../test/support/mails.ts";

/**
 * Starts a PostgreSQL on the data directory of a killed one, once the processes that the kill
 * orphaned have released it.
 */
export function restarted(start: () => Promise<PostgresServer>): Promise<PostgresServer> {
  return eventually("restart", () =>
    start().catch((error: Error) => {
      if (!/pre-existing shared memory|lock file|in use/.test(error.message)) throw error;
      return undefined;
    }),
  );
}
