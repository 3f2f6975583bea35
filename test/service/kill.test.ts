import assert from "node:assert/strict";
import { test } from "node:test";
import { query } from "../platform/storage/stored.ts";
import { assertKeyRejected } from "../support/assertions.ts";
import { serve, temporaryDirectory } from "../support/process.ts";

// One kill. `npm run trials -- torture` makes hundreds, at random times and on both engines.

const READERS = 16;
const CHANGERS = 8;

/** What is acknowledged before the kill, so that some reads and changes are always in flight. */
const [READS, CHANGES] = [200, 60];

test("kill -9 loses no acknowledged unit, revocation or event, and charges no read twice", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  await using first = await serve({ dataDirectory });
  const { session, apiKey } = await first.newCustomer("ada@example.org");
  let [sent, acknowledged] = [0, 0];
  const created = new Set<string>();
  /** The keys by their ids. */
  const revoked = new Map<string, string>();
  const enough = Promise.withResolvers<void>();
  const untilKilled = async (work: () => Promise<void>): Promise<NodeJS.ErrnoException> => {
    try {
      for (;;) {
        await work();
        if (acknowledged >= READS && revoked.size >= CHANGES) enough.resolve();
      }
    } catch (error) {
      return error as NodeJS.ErrnoException;
    }
  };
  const read = async () => {
    sent += 1;
    const { status } = await first.get("/v1/rates/EUR/USD", { apiKey });
    assert.equal(status, 200);
    acknowledged += 1;
  };
  const change = async () => {
    const key = await first.createKey(session);
    created.add(key.id);
    await first.revokeKey(session, key.id);
    revoked.set(key.id, key.apiKey);
  };
  const working = [
    ...Array.from({ length: READERS }, () => untilKilled(read)),
    ...Array.from({ length: CHANGERS }, () => untilKilled(change)),
  ];
  await Promise.race([enough.promise, ...working]);
  await first.kill();
  // Each ends by a broken connection, not by an assertion.
  for (const error of await Promise.all(working)) {
    assert.match(String(error.code), /^ECONN|^UND_ERR_SOCKET$/, String(error));
  }

  await using second = await serve({ dataDirectory });
  const used = await second.usedUnits(session);
  assert.ok(acknowledged <= used && used <= sent, `${acknowledged} <= ${used} <= ${sent}`);
  for (const key of revoked.values()) {
    assertKeyRejected(await second.get("/v1/rates/EUR/USD", { apiKey: key }));
  }
  assert.equal((await second.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
  const idsIn = (sql: string) => query(dataDirectory, sql).map(({ id }) => String(id));
  const ID_OF = "SELECT details ->> 'api_key_id' AS id FROM events WHERE action =";
  const [creations, revocations] = ["created", "revoked"].map((what) =>
    idsIn(`${ID_OF} 'api_key.${what}'`),
  );
  assert.deepEqual(creations?.toSorted(), idsIn("SELECT id FROM api_keys").toSorted());
  assert.ok(created.isSubsetOf(new Set(creations)), "a creation has no event");
  assert.ok(new Set(revoked.keys()).isSubsetOf(new Set(revocations)), "a revocation has no event");
  assert.equal(new Set(revocations).size, revocations?.length);
});
