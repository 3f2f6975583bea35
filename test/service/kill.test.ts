import assert from "node:assert/strict";
import { test } from "node:test";
import { assertKeyRejected } from "../support/assertions.ts";
import { serve, temporaryDirectory } from "../support/process.ts";

// One kill. `npm run trials -- torture` makes hundreds, at random times and on both engines.

const READERS = 16;

/** What is acknowledged before the kill, so that some reads are always in flight. */
const READS_ACKNOWLEDGED = 200;

test("kill -9 during reads loses no acknowledged unit or revocation, and charges no read twice", async () => {
  await using directory = await temporaryDirectory();
  const options = { dataDirectory: directory.path };
  await using first = await serve(options);
  const { session, apiKey } = await first.newCustomer("ada@example.org");
  const other = await first.post("/v1/account/api-keys", { session, json: { name: "other" } });
  const { id, api_key: revoked } = other.body as { id: string; api_key: string };
  assert.equal((await first.call("DELETE", `/v1/account/api-keys/${id}`, { session })).status, 204);

  let [sent, acknowledged] = [0, 0];
  const enough = Promise.withResolvers<void>();
  const readOn = async () => {
    for (;;) {
      sent += 1;
      const { status } = await first.get("/v1/rates/EUR/USD", { apiKey });
      assert.equal(status, 200);
      acknowledged += 1;
      if (acknowledged === READS_ACKNOWLEDGED) enough.resolve();
    }
  };
  const readers = Array.from({ length: READERS }, () =>
    readOn().catch((error: unknown) => error as NodeJS.ErrnoException),
  );
  await enough.promise;
  await first.kill();
  // Each reader ends by a broken connection, not by an assertion.
  for (const error of await Promise.all(readers)) {
    assert.match(String(error.code), /^ECONN|^UND_ERR_SOCKET$/, String(error));
  }

  await using second = await serve(options);
  const { body } = await second.get("/v1/account/usage", { session });
  const { used_units: used } = (body as { usage: { used_units: number } }).usage;
  assert.ok(acknowledged <= used && used <= sent, `${acknowledged} <= ${used} <= ${sent}`);
  assertKeyRejected(await second.get("/v1/rates/EUR/USD", { apiKey: revoked }));
  assert.equal((await second.get("/v1/rates/EUR/USD", { apiKey })).status, 200);
});
