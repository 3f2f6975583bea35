import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { runCleanupLoop } from "../../../src/operations/cleanup/cleanup.ts";
import { kurs } from "../../support/command-line.ts";
import { temporaryDirectory } from "../../support/process.ts";
import { startService, startServiceNow, TestClock } from "../../support/service.ts";

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
    service.query("DELETE FROM jobs");
    // A machine at leisure reads more often than the plan "free" allows.
    service.query("UPDATE plans SET units_per_period = 1000000");
  }
  await using service = await startService({ dataDirectory });
  using database = service.database();
  const windows = database.prepare("SELECT count(*) AS left FROM auth_windows WHERE calls = 1");
  const left = () => Number(windows.get()?.left);

  // A cleanup without pauses lets no request in between its first row and its last one.
  let readsMeanwhile = 0;
  for (let rows = WINDOWS; rows > 0; rows = left()) {
    if (rows < WINDOWS) readsMeanwhile += 1;
    assert.equal((await service.readRate("EUR/USD", apiKey)).status, 200);
  }
  assert.ok(readsMeanwhile > 0);
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

test("a clock that is ahead is reported once for each trusted time, not at each look", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const [older, newer] = ["2026-11-01T00:00:00.000Z", "2026-11-02T00:00:00.000Z"];
  const trustedTimes = [older, older, newer, newer];
  const end = new AbortController();
  const unexpected = () => assert.fail("nothing is removed");
  const cleanup = {
    async claimCleanup() {
      const trusted = trustedTimes.shift() ?? "";
      if (trustedTimes.length === 0) end.abort();
      return { kind: "clock_ahead", trusted } as const;
    },
    claimJob: unexpected,
    removeExpired: unexpected,
    removeEndedMails: unexpected,
    removeEvents: unexpected,
  };
  const reported: string[] = [];
  const uses = {
    store: { cleanup, history: { removeBefore: unexpected } },
    clock: new TestClock("2026-11-21T12:00:00.000Z"),
    auditDays: 1,
    historyDays: 1,
    onClockAhead: (trusted: string) => reported.push(trusted),
    onError: (error: unknown) => assert.fail(String(error)),
  };

  const running = runCleanupLoop(uses, end.signal);
  while (!end.signal.aborted) {
    await setImmediate();
    t.mock.timers.tick(60_000);
  }
  await running;

  assert.deepEqual(reported, [older, newer]);
});
