import type { ClientBase } from "pg";
import { StartupError } from "../../shared/program/start-error.ts";

/**
 * How often clients must find their session again. With other traffic, a pooler's transaction mode
 * gives them the same ones by chance, at best in every second round. A new connection repeats the
 * check with fewer rounds: they delay the request that waits for it.
 */
export const SESSION_ROUNDS = { start: 32, connection: 8 };

const SESSION = "SELECT pg_backend_pid() AS process_id";

/** Whether a pooler is between a client and its session: it sends clients an invented id. */
export function isPooled(client: ClientBase, processId: number): boolean {
  return (client as ClientBase & { readonly processID?: number }).processID !== processId;
}

/**
 * Checks that each client has a session of its own. In a pooler's transaction mode all clients
 * share its sessions, so that one client's settings and prepared statements affect the others.
 *
 * @param clients of the same pooler. Two find it out without other traffic, too.
 * @throws {StartupError}
 */
export async function requireOwnSession(
  clients: readonly ClientBase[],
  rounds: number,
): Promise<void> {
  const holders = new Map<number, ClientBase>();
  for (let round = 0; round < rounds; round += 1) {
    for (const client of clients) {
      const { rows } = await client.query<{ process_id: number }>(SESSION);
      const processId = rows[0]?.process_id ?? 0;
      const holder = holders.getOrInsertComputed(processId, () => client);
      if (holder === client && holders.size <= clients.length) continue;
      throw new StartupError(
        "The pooler in front of PostgreSQL shares sessions between clients, as in transaction " +
          "mode: set pool_mode = session for this database.",
      );
    }
  }
}
