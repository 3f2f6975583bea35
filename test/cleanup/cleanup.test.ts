import assert from "node:assert/strict";
import { test } from "node:test";
import { kurs, temporaryDirectory } from "../support/process.ts";
import { startService, startServiceNow } from "../support/service.ts";

const WINDOWS = 20_000;

const ADD_WINDOWS = `
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
  INSERT INTO auth_windows (scope, calls, ends_at)
  SELECT hex(randomblob(32)), 1, '2026-11-20T12:00:00.000Z' FROM numbers`;

test("a server on the embedded database serves reads while it removes many expired rows", async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = directory.path;
  let apiKey = "";
  {
    await using service = await startService({ dataDirectory });
    ({ apiKey } = await service.newCustomer());
    service.query(ADD_WINDOWS, WINDOWS);
    service.query("DELETE FROM duties");
  }
  await using service = await startService({ dataDirectory });
  using database = service.database();
  const windows = database.prepare("SELECT count(*) AS left FROM auth_windows WHERE calls = 1");
  const left = () => Number(windows.get()?.left);

  let readsMeanwhile = 0;
  for (;;) {
    const { status } = await service.readRate("EUR/USD", apiKey);
    assert.equal(status, 200);
    if (left() < WINDOWS / 2) break;
    readsMeanwhile += 1;
  }

  // A cleanup without pauses lets no request in before its end.
  assert.ok(left() > 0, "no read was served while rows were left");
  assert.ok(readsMeanwhile >= 10, `only ${readsMeanwhile} reads were served`);
});

test("kurs clock accept trusts the clock, and the audit log names the operator", async () => {
  await using service = await startServiceNow();
  service.query("UPDATE trusted_time SET at = '2020-01-01T00:00:00.000Z'");

  const { exitCode, stdout } = await kurs(["clock", "accept"], service);

  assert.equal(exitCode, 0);
  const [accepted] = /^\S+Z/.exec(stdout) ?? [];
  assert.deepEqual(
    service.query("SELECT at FROM trusted_time").map(({ at }) => at),
    [accepted],
  );
  const [event] = service.query("SELECT at, actor FROM events WHERE action = 'clock.accepted'");
  assert.deepEqual({ ...event }, { at: accepted, actor: "operator" });
});
