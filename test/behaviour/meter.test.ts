import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../support/answers.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { type Answer, startService, TestClock, type TestService } from "../support/service.ts";

const PATH = "/v1/rates/EUR/USD";

const concurrently = (count: number, read: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => read(index)));

const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

/** The units counted by account and period, and by key and day. */
function countedUnits(service: TestService) {
  const [sums] = service.query(`
    SELECT (SELECT sum(units) FROM period_usage) AS by_period,
      (SELECT sum(units) FROM daily_usage) AS by_day`);
  return { ...sums };
}

test("§8 meter: of 100 reads at once on 40 units, 40 are served and 60 refused", async () => {
  await using service = await startService({ config: { freePlanUnits: 40 } });
  const session = await service.openSession();
  const { apiKey } = await service.createKey(session);

  const answers = await concurrently(100, () => service.get(PATH, { apiKey }));

  assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [40, 60]);
  const { used_units, remaining_units } = await service.usage(session);
  assert.deepEqual([used_units, remaining_units], [40, 0]);
  assert.deepEqual(countedUnits(service), { by_period: 40, by_day: 40 });
});

test("§8 meter: reads at once are told each its own place: 39, 38 … 0 units left", async () => {
  await using service = await startService({ config: { freePlanUnits: 40 } });
  const { apiKey } = await service.createKey(await service.openSession());

  const answers = await concurrently(40, () => service.get(PATH, { apiKey }));

  const told = answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.ratelimit ?? "")?.[1]));
  const expected = Array.from({ length: 40 }, (_, index) => index);
  assert.deepEqual(
    told.toSorted((left, right) => left - right),
    expected,
  );
});

test("§8 meter: two keys of one account share its quota, also when they read at once", async () => {
  await using service = await startService({ config: { freePlanUnits: 40 } });
  const session = await service.openSession();
  const first = await service.createKey(session);
  const second = await service.createKey(session);

  const answers = await concurrently(100, (index) =>
    service.get(PATH, index % 2 === 0 ? first : second),
  );

  assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [40, 60]);
  assert.equal(await service.usedUnits(session), 40);
  assert.deepEqual(countedUnits(service), { by_period: 40, by_day: 40 });
});

test("§8 meter: the quota is each account's own, also when two read at once", async () => {
  await using service = await startService({ config: { freePlanUnits: 5 } });
  const keys = [
    await service.createKey(await service.openSession()),
    await service.createKey(await service.openSession()),
  ];

  const answers = await concurrently(20, (index) => service.get(PATH, keys[index % 2]));

  for (const half of [0, 1]) {
    const own = answers.filter((_, index) => index % 2 === half);
    assert.deepEqual([countOf(own, 200), countOf(own, 429)], [5, 5]);
  }
});

test("§8 meter: a mixed crowd is charged exactly for what reached step 3", async () => {
  await using service = await startService();
  const session = await service.openSession();
  const { apiKey } = await service.createKey(session);
  const stranger = `svc_live_${"a".repeat(64)}`;
  const calls = [
    () => service.get(PATH, { apiKey }),
    () => service.call("HEAD", PATH, { apiKey }),
    () => service.get("/v1/rates/USD/NONE", { apiKey }),
    () => service.get("/v1/rates/E/USD", { apiKey }),
    () => service.get(PATH, { apiKey: stranger }),
    () => service.post(PATH, { apiKey }),
  ] as const;

  await concurrently(60, (index) => (calls[index % calls.length] ?? calls[0])());

  assert.equal(await service.usedUnits(session), 30);
  assert.deepEqual(countedUnits(service), { by_period: 30, by_day: 30 });
});

test("metering: units are counted per key and UTC day, and add up to the period's", async () => {
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
  assert.deepEqual(countedUnits(service), { by_period: 4, by_day: 4 });
  assert.equal(await service.usedUnits(session), 4);
});

test("metering: the quota is whole again at the first moment of the next month", async () => {
  const clock = new TestClock("2026-11-30T23:59:59.999Z");
  await using service = await startService({ clock, config: { freePlanUnits: 1 } });
  const session = await service.openSession();
  const { apiKey } = await service.createKey(session);

  assert.equal((await service.get(PATH, { apiKey })).status, 200);
  const refused = await service.get(PATH, { apiKey });
  assertFailure(refused, 429, "quota_exceeded");
  assert.equal(refused.headers["retry-after"], "1");
  clock.set(String(refused.body.reset_at));

  assert.equal(await service.usedUnits(session), 0);
  assert.equal((await service.get(PATH, { apiKey })).status, 200);
  assert.equal(await service.usedUnits(session), 1);
});

/** A clock that tells each of some times once, and then stands at the last. */
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

test("metering: reads of one batch across the month's end count each in its own", async () => {
  const clock = new ScriptedClock("2026-11-30T12:00:00.000Z");
  await using service = await startService({ clock, config: { freePlanUnits: 2 } });
  const session = await service.openSession();
  const { apiKey } = await service.createKey(session);
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

test("metering: a quota lowered under the used units leaves 0, not less, and refuses", async () => {
  await using service = await startService();
  const session = await service.openSession();
  const { apiKey } = await service.createKey(session);
  await concurrently(5, () => service.get(PATH, { apiKey }));
  service.query("UPDATE plans SET units_per_period = 3 WHERE name = 'free'");

  const refused = await service.get(PATH, { apiKey });

  assertFailure(refused, 429, "quota_exceeded");
  assert.deepEqual([refused.body.limit, refused.body.remaining], [3, 0]);
  assert.match(refused.headers.ratelimit ?? "", /;r=0;/);
  const { used_units, quota_units, remaining_units } = await service.usage(session);
  assert.deepEqual([used_units, quota_units, remaining_units], [5, 3, 0]);
});

test("metering: a plan that was raised counts from the next read", async () => {
  await using service = await startService({ config: { freePlanUnits: 1 } });
  const session = await service.openSession();
  const { apiKey } = await service.createKey(session);
  await service.get(PATH, { apiKey });
  assertFailure(await service.get(PATH, { apiKey }), 429, "quota_exceeded");
  service.query("UPDATE plans SET units_per_period = 2 WHERE name = 'free'");

  assert.equal((await service.get(PATH, { apiKey })).status, 200);
  assertFailure(await service.get(PATH, { apiKey }), 429, "quota_exceeded");
});

test("metering: an account that is moved to another plan has its units with the next read", async () => {
  await using service = await startService({ config: { freePlanUnits: 1 } });
  const session = await service.openSession();
  const { apiKey } = await service.createKey(session);
  await service.get(PATH, { apiKey });
  service.query("INSERT INTO plans (name, units_per_period) VALUES ('pro', 10)");
  service.query("UPDATE accounts SET plan = 'pro'");

  const answer = await service.get(PATH, { apiKey });

  assert.equal(answer.status, 200);
  assert.match(answer.headers["ratelimit-policy"] ?? "", /;q=10;/);
  const usage = await service.get("/v1/account/usage", { session });
  assert.equal(usage.body.plan, "pro");
  assert.deepEqual(usage.body.usage, {
    used_units: 2,
    quota_units: 10,
    remaining_units: 8,
    utilization: 0.2,
  });
});

test("metering: a plan of no units serves nothing and charges nothing", async () => {
  await using service = await startService({ config: { freePlanUnits: 0 } });
  const session = await service.openSession();
  const { apiKey } = await service.createKey(session);

  const answer = await service.get(PATH, { apiKey });

  assertFailure(answer, 429, "quota_exceeded");
  assert.deepEqual([answer.body.limit, answer.body.remaining], [0, 0]);
  assert.deepEqual(countedUnits(service), { by_period: null, by_day: null });
});

test("metering: what was charged is still charged after a restart", async () => {
  await using first = await startService({ config: { freePlanUnits: 3 } });
  const { dataDirectory } = first;
  const session = await first.openSession();
  const { apiKey } = await first.createKey(session);
  await first.get(PATH, { apiKey });

  await using second = await startService({ dataDirectory, config: { freePlanUnits: 3 } });

  assert.equal(await second.usedUnits(session), 1);
  const answers = await concurrently(4, () => second.get(PATH, { apiKey }));
  assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [2, 2]);
  assert.equal(await first.usedUnits(session), 3);
});
