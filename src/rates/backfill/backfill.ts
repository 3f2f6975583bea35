import type { Clock } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import type { StoreStatus } from "../../platform/shared/store.ts";
import type { Figure, FigureStore } from "../served/figures.ts";
import type { PackContent, Publication } from "../served/history.ts";
import { holdContradictions } from "../served/rules/contradictions.ts";
import type { Rejection } from "../served/rules/rate.ts";
import { byPair } from "../served/rules/symbol.ts";
import type { ContradictionStore } from "../served/store.ts";
import type { Dates } from "../sources/rules/archive-ranges.ts";
import { readFigures } from "../sources/sorted-figures.ts";
import {
  type ArchiveRange,
  packDocuments,
  type SourceArchive,
  SourceError,
} from "../sources/source.ts";
import { createRangeCheck, type DueCalendar } from "./range-check.ts";
import type { BackfillDates, BackfillStore } from "./store.ts";

/** Figures per transaction while no other process writes: some 10 ms. */
const FIGURES_AS_ONLY_WRITER = 500;

/**
 * While a server writes: it waits for the lock, and its event loop with it. 50 figures take 1.2 ms
 * of processor time, half of it for the transaction itself.
 */
const FIGURES_WITH_OTHER_WRITERS = 50;

/** Pause before the next transaction, in which other processes can write. */
const PAUSE_MS_MIN = 16;

/** A busy machine makes a transaction wait for its lock: that must not make the pauses endless. */
const PAUSE_MS_MAX = 100;

/** Between these limits the lock is held for a tenth of the time at most. */
const PAUSE_PER_WORK = 9;

/** After as many failures in a row, the publisher is left alone. */
const FAILURES_MAX = 3;

/** A source with an archive. */
export interface ArchivedSource {
  readonly key: string;
  readonly archive: SourceArchive;
  readonly schedule: DueCalendar;
}

interface FailedRange extends Dates {
  readonly reason: string;
}

/** What a backfill has done. */
export interface BackfillReport {
  /** New figures, amended ones included. */
  readonly stored: number;
  /** Figures that their series had already. */
  readonly unchanged: number;
  /** Lines that are not valid figures. */
  readonly rejected: number;
  /** Figures that their document contradicts: held for the operator. */
  readonly held: number;
  /** How many dates the stored and the unchanged figures have. */
  readonly dates: number;
  /** Ranges that the same command had completed before: they were not fetched again. */
  readonly completedBefore: number;
  readonly failed: readonly FailedRange[];
  /** The ranges after these, if it was stopped or gave up; undefined if none is left. */
  readonly remaining: Dates | undefined;
}

/** How much is done: of the requests, and of the figures of the last one. */
export interface BackfillProgress {
  readonly requests: number;
  readonly requestsDone: number;
  readonly figures: number;
  readonly figuresDone: number;
}

/** Called during a backfill. */
export interface BackfillReports {
  readonly onProgress: (progress: BackfillProgress) => void;
  readonly onRejected: (range: Dates, rejection: Rejection) => void;
  readonly onFailed: (range: FailedRange) => void;
}

/**
 * Fetches the figures that a source's publisher has of some dates and adds them to their series, in
 * short transactions. What is served stays. An unfinished backfill is resumed: its completed ranges
 * are skipped. A range that cannot be fetched, or has not what was due, is reported, and the next
 * one is tried.
 *
 * @param signal stops it: it resolves soon, with what was done.
 * @throws {StoreUnavailable}
 */
export type Backfill = (
  source: ArchivedSource,
  dates: BackfillDates,
  reports: BackfillReports,
  signal: AbortSignal,
) => Promise<BackfillReport>;

interface BackfillUses {
  readonly store: {
    readonly figures: FigureStore;
    readonly contradictions: ContradictionStore;
    readonly backfills: BackfillStore;
    readonly status: StoreStatus;
  };
  readonly clock: Clock;
  /** @returns the origin of what a backfill holds now. */
  readonly origin: () => Origin;
  readonly packContent: PackContent;
  /** Resolves after the time, or when the signal aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export function createBackfill(uses: BackfillUses): Backfill {
  const { store, clock, origin, sleep } = uses;

  return async ({ key, archive, schedule }, dates, reports, signal) => {
    const command = { source: key, asked: dates.asked };
    const completed = await store.backfills.completedRanges(command);
    const ranges = archive.rangesOf(dates);
    const isCompleted = (range: Dates) => completed.some((one) => includes(one, range));
    const wanted = ranges.filter((range) => !isCompleted(range));
    const tally = createTally(wanted, reports);
    const pause = pacer(archive.paceMs, (milliseconds) => sleep(milliseconds, signal));
    const addFigures = createFigureWriter(uses, signal);
    const check = createRangeCheck(schedule, clock.nowMs());
    const settle = async (checked: ReturnType<typeof check.end>) => {
      for (const { range, fault } of checked) {
        if (fault !== undefined) tally.fail(range, fault);
        // The last range may get figures later, such as those of today.
        else if (range.to !== dates.to) {
          await store.backfills.complete(command, range, timestamp(clock.nowMs()));
        }
      }
    };
    let failures = 0;
    let next = 0;
    for (; next < ranges.length && failures < FAILURES_MAX && !signal.aborted; next += 1) {
      const range = ranges[next];
      if (range === undefined) break;
      if (isCompleted(range)) {
        await settle(check.skip(range));
        continue;
      }
      try {
        const fetched = await archive.fetchRange(range, signal, pause);
        const read = readFigures(key, fetched.lines, clock.nowMs());
        for (const rejection of read.rejections) tally.reject(range, rejection);
        const valid = read.figures.sort(byDate);
        const stated = valid.filter(({ date }) => date >= range.from && date <= range.to);
        const receivedAt = timestamp(clock.nowMs());
        const documents = await packDocuments(fetched.documents, uses.packContent);
        const received = { source: key, receivedAt, documents };
        const kept = await holdContradictions(store.contradictions, stated, received, origin());
        const { figures, publication, held } = kept;
        tally.hold(held.length);
        await addFigures(figures, publication, (isNew) => tally.add(figures, isNew));
        if (signal.aborted) break;
        tally.end(range);
        const failed = tally.failedCount();
        await settle(check.add(range, [...new Set(valid.map(({ date }) => date))]));
        failures = stated.length > 0 ? 0 : failures + tally.failedCount() - failed;
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        if (signal.aborted) break;
        await settle(check.end());
        failures += 1;
        tally.fail(range, error.message);
        tally.end(range);
      }
    }
    const open = check.firstOpen();
    if (!signal.aborted) await settle(check.end());
    const left = ranges.slice(next).find((range) => !isCompleted(range));
    const first = signal.aborted ? (open ?? left) : left;
    const remaining = first && { from: first.from, to: dates.to };
    const report = tally.report(ranges.length - wanted.length, remaining);
    const isFinished = report.failed.length === 0 && remaining === undefined;
    if (isFinished) await store.backfills.forget(command);
    return report;
  };
}

function includes(outer: Dates, inner: Dates): boolean {
  return outer.from <= inner.from && outer.to >= inner.to;
}

/** @returns a function that waits, except the first time. */
function pacer(paceMs: number, sleep: (milliseconds: number) => Promise<void>) {
  let isFirst = true;
  return async (): Promise<void> => {
    if (!isFirst) await sleep(paceMs);
    isFirst = false;
  };
}

/** Counts what became of the lines, and reports it. */
function createTally(wanted: readonly ArchiveRange[], reports: BackfillReports) {
  const count = { stored: 0, unchanged: 0, rejected: 0, held: 0 };
  const dates = new Set<string>();
  const failed: FailedRange[] = [];
  const requests = wanted.reduce((sum, range) => sum + range.requests, 0);
  let requestsDone = 0;
  let figuresDone = 0;
  const show = (figures: number) =>
    reports.onProgress({ requests, requestsDone, figures, figuresDone });
  const end = (range: ArchiveRange) => {
    requestsDone += range.requests;
    figuresDone = 0;
    show(0);
  };
  show(0);
  return {
    end,
    /** @param isNew for the figures after those that were added before. */
    add(figures: readonly Figure[], isNew: readonly boolean[]): void {
      for (const isStored of isNew) {
        const figure = figures[figuresDone++];
        if (figure !== undefined) dates.add(figure.date);
        if (isStored) count.stored += 1;
        else count.unchanged += 1;
      }
      show(figures.length);
    },
    reject(range: Dates, rejection: Rejection): void {
      count.rejected += 1;
      reports.onRejected(range, rejection);
    },
    hold(figures: number): void {
      count.held += figures;
    },
    fail(range: ArchiveRange, reason: string): void {
      const failure = { from: range.from, to: range.to, reason };
      failed.push(failure);
      reports.onFailed(failure);
    },
    failedCount: () => failed.length,
    report: (completedBefore: number, remaining: Dates | undefined): BackfillReport => ({
      ...count,
      dates: dates.size,
      completedBefore,
      failed,
      remaining,
    }),
  };
}

/** Each series by its dates: so its pages in the store are. */
const byDate = (left: Figure, right: Figure) =>
  byPair(left, right) || (left.date < right.date ? -1 : 1);

function pauseAfter(tookMs: number): number {
  return Math.min(Math.max(PAUSE_PER_WORK * tookMs, PAUSE_MS_MIN), PAUSE_MS_MAX);
}

/** Adds the figures of a publication, some per transaction. It ends early if the signal aborts. */
function createFigureWriter({ store, clock, sleep }: BackfillUses, signal: AbortSignal) {
  let figuresPerTransaction = FIGURES_WITH_OTHER_WRITERS;
  return async (
    figures: readonly Figure[],
    first: Publication | number,
    onAdded: (isNew: readonly boolean[]) => void,
  ): Promise<void> => {
    let publication: Publication | number = first;
    for (let start = 0; start < figures.length && !signal.aborted; ) {
      const some = figures.slice(start, start + figuresPerTransaction);
      start += some.length;
      const startedMs = clock.nowMs();
      const added = await store.figures.addFigures(some, publication, timestamp(startedMs));
      const tookMs = clock.nowMs() - startedMs;
      publication = added.publication;
      onAdded(added.isNew);
      const hasOtherWriters = await store.status.hasOtherWriters();
      figuresPerTransaction = hasOtherWriters ? FIGURES_WITH_OTHER_WRITERS : FIGURES_AS_ONLY_WRITER;
      if (hasOtherWriters) await sleep(pauseAfter(tookMs), signal);
    }
  };
}
