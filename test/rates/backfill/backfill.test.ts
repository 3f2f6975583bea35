import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createBackfill } from "../../../src/rates/backfill/backfill.ts";
import type { SourceLine } from "../../../src/rates/served/rules/rate.ts";
import { packContent } from "../../../src/rates/sources/fetching/content.ts";
import { createSchedule } from "../../../src/rates/sources/fetching/schedule.ts";
import { rangesBy } from "../../../src/rates/sources/rules/archive-ranges.ts";
import { type ArchiveRange, SourceError } from "../../../src/rates/sources/source.ts";
import { createSqliteDatabase } from "../../contract/sqlite-database.ts";
import { BY } from "../../contract/suite/origins.ts";
import { TestClock } from "../../support/service.ts";
import type { Store } from "../../support/stores.ts";
import { publisherOf } from "../sources/publishers/recorded.ts";

const PACE_MS = 500;
const DATES = { from: "2024-01-01", to: "2024-01-05" };

/** From midnight in Prague on: in UTC that is of the day before. */
const lineAt = (date: string, base: string, rate: string): SourceLine => ({
  base,
  quote: "CZK",
  rate,
  date,
  asOf: `${date}T00:00:00+01:00`,
});

/** An archive by days: each has EUR/CZK, unless the test says otherwise. */
function archiveOf(linesAt: (date: string) => readonly SourceLine[]) {
  const fetched: string[] = [];
  return {
    fetched,
    key: "cnb",
    schedule: createSchedule(publisherOf("cnb").schedule, "14:30"),
    archive: {
      since: "1999-01-04",
      paceMs: PACE_MS,
      rangesOf: (dates: { from: string; to: string }) =>
        rangesBy("day", dates).map((range) => ({ ...range, requests: 1 })),
      async fetchRange({ from }: ArchiveRange, _signal: AbortSignal, pause: () => Promise<void>) {
        await pause();
        fetched.push(from);
        const address = `https://api.cnb.cz/${from}`;
        const document = { address, body: Buffer.from(from), receivedMs: Date.parse(from) };
        return { documents: [document], lines: linesAt(from) };
      },
    },
  };
}

const eurAt = (date: string) => [lineAt(date, "EUR", "25.3")];

/** Backfills in this process. */
function newBackfill(
  store: Store,
  ownSleep?: (milliseconds: number) => Promise<void>,
  clock = new TestClock("2024-01-05T18:00:00.000Z"),
) {
  const sleeps: number[] = [];
  const reported: string[] = [];
  const progress: string[] = [];
  const stopping = new AbortController();
  const backfill = createBackfill({
    store,
    clock,
    packContent,
    origin: () => BY,
    sleep: ownSleep ?? (async (milliseconds) => void sleeps.push(milliseconds)),
  });
  return {
    sleeps,
    reported,
    progress,
    stopping,
    run: (source: ReturnType<typeof archiveOf>, dates = DATES) =>
      backfill(
        source,
        { ...dates, asked: dates },
        {
          onProgress: ({ requestsDone, requests, figuresDone, figures }) =>
            progress.push(`${requestsDone}/${requests} ${figuresDone}/${figures}`),
          onRejected: ({ from }, { reason }) => reported.push(`${from} ${reason}`),
          onFailed: ({ from, reason }) => reported.push(`${from} failed: ${reason}`),
        },
        stopping.signal,
      ),
  };
}

suite("a backfill", () => {
  test("adds the figures of every range, with the publisher's pace between the requests", async () => {
    await using database = await createSqliteDatabase();
    const store = database.openStore();
    const source = archiveOf(eurAt);
    const { run, sleeps, progress } = newBackfill(store);

    const report = await run(source);

    assert.deepEqual(
      source.fetched,
      ["01", "02", "03", "04", "05"].map((day) => `2024-01-${day}`),
    );
    assert.deepEqual(sleeps.filter((ms) => ms === PACE_MS).length, 4);
    assert.deepEqual(
      [report.stored, report.unchanged, report.rejected, report.dates],
      [5, 0, 0, 5],
    );
    assert.deepEqual([report.failed, report.remaining, report.completedBefore], [[], undefined, 0]);
    assert.deepEqual([progress[0], progress.at(-1)], ["0/5 0/0", "5/5 0/0"]);
    assert.ok(progress.includes("1/5 1/1"));
    const again = await run(source);
    assert.deepEqual([again.stored, again.unchanged], [0, 5]);
  });

  test("stores a figure that is repeated once, and holds those that contradict each other", async () => {
    await using database = await createSqliteDatabase();
    const store = database.openStore();
    const usd = ["22.1", "22.10", "221"].map((rate) => lineAt("2024-01-02", "USD", rate));
    const source = archiveOf((date) => [
      ...[...eurAt(date), ...eurAt(date)],
      ...(date === "2024-01-02" ? usd : [lineAt(date, "USD", "22.0")]),
    ]);

    const { stored, held, dates } = await newBackfill(store).run(source);

    assert.deepEqual([stored, held, dates], [9, 3, 5]);
    const listed = (await store.contradictions.list()).map(({ rate }) => rate);
    assert.deepEqual(listed.sort(), ["22.1", "22.10", "221"]);
  });

  test("gives up after three failures in a row, and the next one begins with those", async () => {
    await using database = await createSqliteDatabase();
    const store = database.openStore();
    let failsFrom = "2024-01-02";
    const source = archiveOf((date) => {
      if (date >= failsFrom) throw new SourceError("api.cnb.cz responded with 503");
      return eurAt(date);
    });
    const { run, reported } = newBackfill(store);

    const report = await run(source);

    assert.equal(source.fetched.length, 4);
    assert.deepEqual(report.remaining, { from: "2024-01-05", to: "2024-01-05" });
    assert.deepEqual(
      reported,
      ["02", "03", "04"].map((day) => `2024-01-${day} failed: api.cnb.cz responded with 503`),
    );
    failsFrom = "2025-01-01";
    source.fetched.splice(0);
    const resumed = await run(source);
    assert.equal(source.fetched[0], "2024-01-02");
    assert.deepEqual([resumed.stored, resumed.completedBefore], [4, 1]);
    // It has finished: the next one fetches everything.
    source.fetched.splice(0);
    await run(source);
    assert.equal(source.fetched.length, 5);
  });

  test("continues after failures that a success separates", async () => {
    await using database = await createSqliteDatabase();
    const store = database.openStore();
    const failing = ["2024-01-01", "2024-01-02", "2024-01-04"];
    const source = archiveOf((date) => {
      if (failing.includes(date)) throw new SourceError("api.cnb.cz responded with 503");
      return eurAt(date);
    });

    const report = await newBackfill(store).run(source);

    assert.equal(source.fetched.length, 5);
    assert.deepEqual([report.stored, report.remaining], [2, undefined]);
    assert.deepEqual(
      report.failed.map(({ from }) => from),
      failing,
    );
  });

  test("takes due dates without a figure as days off if later ones have figures", async () => {
    await using database = await createSqliteDatabase();
    const store = database.openStore();
    const source = archiveOf((date) => (/0[24]$/.test(date) ? eurAt(date) : []));
    const { run, reported } = newBackfill(store);

    assert.deepEqual((await run(source)).failed, []);
    const until3 = { from: "2024-01-01", to: "2024-01-03" };
    assert.equal((await run(source, until3)).failed.length, 1);
    const withTheNextDay = archiveOf(() => eurAt("2024-01-04"));
    assert.deepEqual((await run(withTheNextDay, until3)).failed, []);
    assert.deepEqual(reported, [
      "2024-01-03 failed: no figure for 2024-01-03 that its calendar expects; the response has none",
    ]);
  });

  test("leaves out figures of other dates, and reports lines that are none", async () => {
    await using database = await createSqliteDatabase();
    const store = database.openStore();
    const source = archiveOf((date) => [
      ...eurAt("2024-01-02"),
      lineAt(date, "USD", "0"),
      { reason: '"JPY/CZK" has no rate' },
    ]);
    const { run, reported } = newBackfill(store);

    const report = await run(source, { from: "2024-01-02", to: "2024-01-03" });

    assert.deepEqual([report.stored, report.unchanged, report.rejected], [1, 0, 4]);
    assert.deepEqual(reported.slice(0, 2), [
      '2024-01-02 "USD/CZK": rate "0" is not above zero',
      '2024-01-02 "JPY/CZK" has no rate',
    ]);
  });

  test("that is stopped ends after the transaction that runs", async () => {
    await using database = await createSqliteDatabase();
    const store = database.openStore();
    const many = Array.from({ length: 250 }, (_, index) => lineAt("2024-01-01", `X${index}`, "2"));
    const source = archiveOf(() => many);
    const { run, stopping, progress } = newBackfill(store);
    let hasEnded = false;
    const stopped = run(source).finally(() => {
      hasEnded = true;
    });
    while (!progress.includes("0/5 50/250") && !hasEnded) await new Promise(setImmediate);
    stopping.abort();

    const report = await stopped;

    assert.ok(report.stored >= 50 && report.stored < 1250, String(report.stored));
    assert.equal(report.remaining?.to, "2024-01-05");
    const resumed = await newBackfill(store).run(archiveOf(() => many));
    assert.equal(resumed.stored + report.stored, 250);
  });
});

test("a backfill pauses between 50 figures while a server writes to the same file, nine times as long as they took", async () => {
  await using database = await createSqliteDatabase();
  const [opened, server] = [database.openStore(), database.openStore()];
  const clock = new TestClock("2024-01-05T18:00:00.000Z");
  const tookMs = [0, 1, 2, 5, 20];
  const store: Store = {
    ...opened,
    figures: {
      ...opened.figures,
      addFigures(...added) {
        clock.advanceMs(tookMs.shift() ?? 0);
        return opened.figures.addFigures(...added);
      },
    },
  };
  const many = Array.from({ length: 250 }, (_, index) => lineAt("2024-01-01", `X${index}`, "2"));
  let writes = true;
  const pauses: number[] = [];
  const sleep = async (milliseconds: number) => {
    pauses.push(milliseconds);
    if (writes) await server.audit.record("plan.set", BY);
  };
  const { run } = newBackfill(store, sleep, clock);
  const runOnce = () =>
    run(
      archiveOf(() => many),
      { from: "2024-01-01", to: "2024-01-01" },
    );

  const first = await runOnce();
  assert.equal(first.stored, 250);
  // At least 16 ms, at most 100.
  assert.deepEqual(pauses, [16, 16, 18, 45, 100]);

  writes = false;
  pauses.splice(0);
  const second = await runOnce();
  assert.equal(second.unchanged, 250);
  assert.ok(pauses.length <= 1, String(pauses));
});
