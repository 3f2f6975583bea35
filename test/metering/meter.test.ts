import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../support/client.ts";
import { sendRaw } from "../support/raw-connection.ts";
import { startService, type TestService } from "../support/service.ts";

const PATH = "/v1/rates/EUR/USD";

interface Read {
  readonly apiKey: string;
  readonly path?: string;
  readonly method?: string;
}

/** Sends concurrent reads. @returns their responses in the same order. */
type SendReads = (service: TestService, reads: readonly Read[]) => Promise<Answer[]>;

const onConnections: SendReads = (service, reads) =>
  Promise.all(
    reads.map(({ method = "GET", path = PATH, apiKey }) => service.call(method, path, { apiKey })),
  );

/** In one write, so that the service reads all in one event-loop iteration: they are one batch. */
const onOneConnection: SendReads = ({ url }, reads) => {
  const texts = reads.map(({ method = "GET", path = PATH, apiKey }, index) => {
    const connection = index === reads.length - 1 ? "close" : "keep-alive";
    return (
      `${method} ${path} HTTP/1.1\r\nHost: kurs\r\nConnection: ${connection}\r\n` +
      `Authorization: ApiKey ${apiKey}\r\n\r\n`
    );
  });
  return sendRaw(url, texts.join(""));
};

const connectionKinds = [
  ["on a connection each", onConnections],
  ["on one connection", onOneConnection],
] as const;

const many = (count: number, read: (index: number) => Read) =>
  Array.from({ length: count }, (_, index) => read(index));

const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

/** The units counted by account and period, and by key and day. */
function countedUnits(service: TestService) {
  const [sums] = service.query(`
    SELECT (SELECT sum(units) FROM period_usage) AS by_period,
      (SELECT sum(units) FROM daily_usage) AS by_day`);
  return { ...sums };
}

for (const [how, sendReads] of connectionKinds) {
  test(`§8 meter: of 100 concurrent reads, ${how}, 40 units serve 40, and 60 are rejected`, async () => {
    await using service = await startService({ config: { freePlanUnits: 40 } });
    const { session, apiKey } = await service.newCustomer();

    const answers = await sendReads(
      service,
      many(100, () => ({ apiKey })),
    );

    assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [40, 60]);
    const { used_units, remaining_units } = await service.usage(session);
    assert.deepEqual([used_units, remaining_units], [40, 0]);
    assert.deepEqual(countedUnits(service), { by_period: 40, by_day: 40 });
  });

  test(`§8 meter: concurrent reads, ${how}, each get their own remaining units: 39 to 0`, async () => {
    await using service = await startService({ config: { freePlanUnits: 40 } });
    const { apiKey } = await service.newCustomer();

    const answers = await sendReads(
      service,
      many(40, () => ({ apiKey })),
    );

    const left = answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.ratelimit ?? "")?.[1]));
    const places = Array.from({ length: 40 }, (_, index) => index);
    assert.deepEqual(
      left.toSorted((one, other) => one - other),
      places,
    );
  });

  test(`§8 meter: two keys of one account share its quota, ${how}`, async () => {
    await using service = await startService({ config: { freePlanUnits: 40 } });
    const session = await service.openSession();
    const keys = [await service.createKey(session), await service.createKey(session)] as const;

    const answers = await sendReads(
      service,
      many(100, (index) => keys[index % 2 === 0 ? 0 : 1]),
    );

    assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [40, 60]);
    assert.equal(await service.usedUnits(session), 40);
    const days = service.query("SELECT api_key_id, units FROM daily_usage");
    for (const [half, { id }] of keys.entries()) {
      const served = answers.filter(({ status }, index) => index % 2 === half && status === 200);
      assert.equal(days.find((day) => day.api_key_id === id)?.units, served.length);
    }
  });

  test(`§8 meter: each account has its own quota, ${how}`, async () => {
    await using service = await startService({ config: { freePlanUnits: 5 } });
    const sessions = [await service.openSession(), await service.openSession()] as const;
    const keys = [
      await service.createKey(sessions[0]),
      await service.createKey(sessions[1]),
    ] as const;

    const answers = await sendReads(
      service,
      many(21, (index) => keys[index % 3 === 0 ? 0 : 1]),
    );

    const first = answers.filter((_, index) => index % 3 === 0);
    const second = answers.filter((_, index) => index % 3 !== 0);
    assert.deepEqual([countOf(first, 200), countOf(first, 429)], [5, 2]);
    assert.deepEqual([countOf(second, 200), countOf(second, 429)], [5, 9]);
    for (const session of sessions) assert.equal(await service.usedUnits(session), 5);
  });

  test(`§8 meter: of mixed concurrent reads, ${how}, exactly those that reach step 3 are charged`, async () => {
    await using service = await startService({ config: { freePlanUnits: 15 } });
    const { session, apiKey } = await service.newCustomer();
    const reads = [
      [{ apiKey }, 200],
      [{ apiKey, path: "/v1/rates/USD/NONE" }, 404],
      [{ apiKey, path: "/v1/rates/E/USD" }, 400],
      [{ apiKey: `svc_live_${"a".repeat(64)}` }, 401],
      [{ apiKey, method: "POST" }, 405],
    ] as const;

    const answers = await sendReads(
      service,
      many(35, (index) => (reads[index % 5] ?? reads[0])[0]),
    );

    const answered = Object.fromEntries(
      [200, 400, 401, 404, 405, 429].map((status) => [status, countOf(answers, status)]),
    );
    assert.equal((answered[200] ?? 0) + (answered[404] ?? 0), 14);
    assert.deepEqual(answered, { 200: 7, 400: 7, 401: 7, 404: 7, 405: 7, 429: 0 });
    assert.equal(await service.usedUnits(session), 14);
    assert.deepEqual(countedUnits(service), { by_period: 14, by_day: 14 });
  });
}

test("§4 meter: of concurrent reads on one connection, the first ones get the remaining units", async () => {
  await using service = await startService({ config: { freePlanUnits: 3 } });
  const { apiKey } = await service.newCustomer();

  const answers = await onOneConnection(
    service,
    many(6, () => ({ apiKey })),
  );

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 429, 429, 429],
  );
  const rests = answers.map(({ headers }) => headers.ratelimit?.split(";")[1]);
  assert.deepEqual(rests, ["r=2", "r=1", "r=0", "r=0", "r=0", "r=0"]);
});

test("§8 meter: two nodes on one store share the quota", async () => {
  const config = { freePlanUnits: 40 };
  await using first = await startService({ config });
  await using second = await startService({ dataDirectory: first.dataDirectory, config });
  const { session, apiKey } = await first.newCustomer();

  const halves = await Promise.all(
    [first, second].map((node) =>
      onOneConnection(
        node,
        many(50, () => ({ apiKey })),
      ),
    ),
  );
  const answers = halves.flat();

  assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [40, 60]);
  assert.equal(await second.usedUnits(session), 40);
  assert.deepEqual(countedUnits(first), { by_period: 40, by_day: 40 });
});

test("metering: charges are kept across a restart", async () => {
  await using first = await startService({ config: { freePlanUnits: 3 } });
  const { dataDirectory } = first;
  const { session, apiKey } = await first.newCustomer();
  await first.get(PATH, { apiKey });

  await using second = await startService({ dataDirectory, config: { freePlanUnits: 3 } });

  assert.equal(await second.usedUnits(session), 1);
  const answers = await onConnections(
    second,
    many(4, () => ({ apiKey })),
  );
  assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [2, 2]);
  assert.equal(await first.usedUnits(session), 3);
});
