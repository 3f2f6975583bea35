import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { sendRaw } from "../../support/raw-connection.ts";
import { startService, startSharedService, TestClock } from "../../support/service.ts";

// Which read gets which unit is tested on the stores: test/contract/suite/meter.ts.

const QUOTA = 40;
const PATH = "/v1/rates/EUR/USD";

const service = await startSharedService({ config: { freePlanUnits: QUOTA } });

interface Read {
  readonly apiKey: string;
  readonly path?: string;
  readonly method?: string;
}

/** Sends concurrent reads. @returns their responses in the same order. */
type SendReads = (reads: readonly Read[], url?: string) => Promise<Answer[]>;

const onConnections: SendReads = (reads) =>
  Promise.all(
    reads.map(({ method = "GET", path = PATH, apiKey }) => service.call(method, path, { apiKey })),
  );

/** In one write, so that the service reads all in one event-loop iteration: they are one batch. */
const onOneConnection: SendReads = (reads, url = service.url) => {
  const texts = reads.map(({ method = "GET", path = PATH, apiKey }, index) => {
    const connection = index === reads.length - 1 ? "close" : "keep-alive";
    return (
      `${method} ${path} HTTP/1.1\r\nHost: kurs\r\nConnection: ${connection}\r\n` +
      `Authorization: ApiKey ${apiKey}\r\n\r\n`
    );
  });
  return sendRaw(url, texts.join(""));
};

const many = (count: number, read: (index: number) => Read) =>
  Array.from({ length: count }, (_, index) => read(index));

const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

/** The remaining units that each response tells. */
const leftIn = (answers: readonly Answer[]) =>
  answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.ratelimit ?? "")?.[1]));

for (const [how, sendReads] of [
  ["on a connection each", onConnections],
  ["on one connection", onOneConnection],
] as const) {
  test(`§8 meter: of 100 concurrent reads, ${how}, 40 units serve 40, each with its own remaining units`, async () => {
    const { apiKey, usedUnits } = await service.newCustomer();

    const answers = await sendReads(many(100, () => ({ apiKey })));

    const served = answers.filter(({ status }) => status === 200);
    const rejected = answers.filter(({ status }) => status === 429);
    assert.deepEqual([served.length, rejected.length], [QUOTA, 60]);
    // On one connection the first ones get the units.
    if (sendReads === onOneConnection) assert.deepEqual(answers, [...served, ...rejected]);
    const left = leftIn(served);
    if (sendReads === onConnections) left.sort((one, other) => other - one);
    const expected = Array.from({ length: QUOTA }, (_, index) => QUOTA - 1 - index);
    assert.deepEqual(left, expected);
    assert.deepEqual(new Set(leftIn(rejected)), new Set([0]));
    assert.equal(await usedUnits(), QUOTA);
  });

  test(`§8 meter: of mixed concurrent reads, ${how}, exactly those that reach step 3 are charged`, async () => {
    const { apiKey, usedUnits } = await service.newCustomer();
    const reads = [
      [{ apiKey }, 200],
      [{ apiKey, path: "/v1/rates/USD/NONE" }, 404],
      [{ apiKey, path: "/v1/rates/E/USD" }, 400],
      [{ apiKey: `svc_live_${"a".repeat(64)}` }, 401],
      [{ apiKey, method: "POST" }, 405],
    ] as const;

    const answers = await sendReads(many(35, (index) => (reads[index % 5] ?? reads[0])[0]));

    for (const [, status] of reads) assert.equal(countOf(answers, status), 7);
    assert.equal(await usedUnits(), 14);
  });
}

test("metering: the full quota is available at the first instant of the next month", async () => {
  const clock = new TestClock("2026-11-30T23:59:59.999Z");
  await using own = await startService({ clock, config: { freePlanUnits: 1 } });
  const { session, apiKey } = await own.newCustomer();

  assert.equal((await own.get(PATH, { apiKey })).status, 200);
  const rejected = await own.get(PATH, { apiKey });
  assertFailure(rejected, 429, "quota_exceeded");
  assert.equal(rejected.headers["retry-after"], "1");
  clock.set(String(rejected.body.reset_at));

  assert.equal(await own.usedUnits(session), 0);
  assert.equal((await own.get(PATH, { apiKey })).status, 200);
  assert.equal(await own.usedUnits(session), 1);
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
  await using own = await startService({ clock, config: { freePlanUnits: 2 } });
  const { apiKey } = await own.newCustomer();
  const [before, afterwards] = ["2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00.000Z"];
  clock.script([before, afterwards, before, afterwards, before, afterwards]);

  const answers = await onOneConnection(
    many(6, () => ({ apiKey })),
    own.url,
  );

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 429, 429],
  );
  const units = (table: string, time: string) =>
    own.query(`SELECT ${time}, units FROM ${table} ORDER BY 1`).map((row) => Object.values(row));
  assert.deepEqual(units("daily_usage", "day"), [
    ["2026-11-30", 2],
    ["2026-12-01", 2],
  ]);
  assert.deepEqual(units("period_usage", "period"), [
    ["2026-11", 2],
    ["2026-12", 2],
  ]);
});
