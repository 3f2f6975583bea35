import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../support/assertions.ts";
import { sendRaw } from "../support/raw-connection.ts";
import { startService, TestClock } from "../support/service.ts";

const PATH = "/v1/rates/EUR/USD";

test("metering: units are counted per key and UTC day and add up to the period's units", async () => {
  await using service = await startService({ clock: new TestClock("2026-11-21T23:59:59.999Z") });
  const session = await service.openSession();
  const first = await service.createKey(session);
  const second = await service.createKey(session);

  await service.get(PATH, first);
  await service.get(PATH, second);
  await service.get("/v1/rates/USD/NONE", second);
  service.clock.set("2026-11-22T00:00:00.000Z");
  await service.get(PATH, first);

  const days = service.query("SELECT day, api_key_id, units FROM daily_usage ORDER BY day, units");
  assert.deepEqual(
    days.map((row) => ({ ...row })),
    [
      { day: "2026-11-21", api_key_id: first.id, units: 1 },
      { day: "2026-11-21", api_key_id: second.id, units: 2 },
      { day: "2026-11-22", api_key_id: first.id, units: 1 },
    ],
  );
  const [period] = service.query("SELECT sum(units) AS units FROM period_usage");
  assert.equal(period?.units, 4);
  assert.equal(await service.usedUnits(session), 4);
});

test("metering: the full quota is available at the first instant of the next month", async () => {
  const clock = new TestClock("2026-11-30T23:59:59.999Z");
  await using service = await startService({ clock, config: { freePlanUnits: 1 } });
  const { session, apiKey } = await service.newCustomer();

  assert.equal((await service.get(PATH, { apiKey })).status, 200);
  const rejected = await service.get(PATH, { apiKey });
  assertFailure(rejected, 429, "quota_exceeded");
  assert.equal(rejected.headers["retry-after"], "1");
  clock.set(String(rejected.body.reset_at));

  assert.equal(await service.usedUnits(session), 0);
  assert.equal((await service.get(PATH, { apiKey })).status, 200);
  assert.equal(await service.usedUnits(session), 1);
});

/** A clock that returns each of some times once, and then always the last. */
class ScriptedClock extends TestClock {
  readonly #times: string[] = [];

  script(times: readonly string[]): void {
    this.#times.push(...times);
  }

  override nowMs(): number {
    const time = this.#times.shift();
    if (time !== undefined) this.set(time);
    return super.nowMs();
  }
}

test("metering: reads of one batch across the end of a month count in their own periods", async () => {
  const clock = new ScriptedClock("2026-11-30T12:00:00.000Z");
  await using service = await startService({ clock, config: { freePlanUnits: 2 } });
  const { apiKey } = await service.newCustomer();
  const before = "2026-11-30T23:59:59.999Z";
  const afterwards = "2026-12-01T00:00:00.000Z";
  const head = `GET ${PATH} HTTP/1.1\r\nHost: kurs\r\nAuthorization: ApiKey ${apiKey}\r\n`;
  clock.script([before, afterwards, before, afterwards, before, afterwards]);

  const answers = await sendRaw(
    service.url,
    `${`${head}\r\n`.repeat(5)}${head}Connection: close\r\n\r\n`,
  );

  const expected = [200, 200, 200, 200, 429, 429];
  assert.deepEqual(
    answers.map(({ status }) => status),
    expected,
  );
  const days = service.query("SELECT day, units FROM daily_usage ORDER BY day");
  assert.deepEqual(
    days.map((row) => ({ ...row })),
    [
      { day: "2026-11-30", units: 2 },
      { day: "2026-12-01", units: 2 },
    ],
  );
  const periods = service.query("SELECT period, units FROM period_usage ORDER BY period");
  assert.deepEqual(
    periods.map((row) => ({ ...row })),
    [
      { period: "2026-11", units: 2 },
      { period: "2026-12", units: 2 },
    ],
  );
});
