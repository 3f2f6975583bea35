import assert from "node:assert/strict";
import { test } from "node:test";
import { serve, temporaryDirectory } from "../../support/process.ts";
import { query } from "../storage/stored.ts";

/** Clients that each create and revoke keys until the server is killed. */
const CLIENTS = 8;
const ACTIONS_BEFORE_THE_KILL = 60;

test("after a kill -9 every acknowledged action is in the audit log, once", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  const created = new Set<string>();
  const revoked = new Set<string>();
  {
    await using server = await serve({ dataDirectory });
    const enough = Promise.withResolvers<void>();
    const emails = Array.from({ length: CLIENTS }, (_, client) => `account-${client}@example.org`);
    const sessions: string[] = [];
    // One after the other: a server that is busy rejects passwords that wait too long.
    for (const email of emails) sessions.push(await server.openSession(email));
    const work = async (session: string) => {
      for (let isRunning = true; isRunning; ) {
        try {
          const { id } = await server.createKey(session);
          created.add(id);
          await server.revokeKey(session, id);
          revoked.add(id);
          if (created.size >= ACTIONS_BEFORE_THE_KILL) enough.resolve();
        } catch {
          // The server was killed: this action was not acknowledged.
          isRunning = false;
        }
      }
    };
    const working = Promise.all(sessions.map(work));
    await enough.promise;
    await server.kill();
    await working;
  }

  const recorded = (action: string) =>
    query(
      dataDirectory,
      "SELECT details ->> 'api_key_id' AS id FROM events WHERE action = ?",
      action,
    ).map(({ id }) => String(id));
  const [creations, revocations] = [recorded("api_key.created"), recorded("api_key.revoked")];
  assert.deepEqual(
    [...created].filter((id) => !creations.includes(id)),
    [],
  );
  assert.deepEqual(
    [...revoked].filter((id) => !revocations.includes(id)),
    [],
  );
  const stored = query(dataDirectory, "SELECT id FROM api_keys").map(({ id }) => String(id));
  assert.deepEqual(creations.toSorted(), stored.toSorted());
  assert.equal(new Set(revocations).size, revocations.length);
});
