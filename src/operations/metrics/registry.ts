import type { Passwords } from "../../customers/use-cases.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { Counts } from "./counts.ts";
import type { EventLoopDelay } from "./event-loop-delay.ts";
import type { Metric } from "./exposition.ts";
import type { ReadStore } from "./store-state.ts";

export interface RegistryUses {
  readonly about: { readonly version: string; readonly store: "sqlite" | "postgresql" };
  readonly counts: Counts;
  readonly eventLoopDelay: EventLoopDelay;
  readonly readStore: ReadStore;
  readonly readVerifiedMs: () => Promise<number | undefined>;
  readonly openConnections: () => Promise<number>;
  readonly passwords: Pick<Passwords, "queue">;
  readonly clock: Clock;
}

/** All metrics; a scrape reads each. */
export function createRegistry(uses: RegistryUses): readonly Metric[] {
  return [
    ...requestMetrics(uses),
    ...readMetrics(uses.counts),
    ...storeMetrics(uses),
    ...passwordMetrics(uses.passwords),
    ...eventLoopMetrics(uses.eventLoopDelay),
    ...processMetrics(uses),
  ];
}

const one = (value: number) => [[{}, value]] as const;

const createMetric =
  (type: Metric["type"]) =>
  (name: string, help: string, read: Metric["read"]): Metric => ({ type, name, help, read });
const counter = createMetric("counter");
const gauge = createMetric("gauge");
const histogram = createMetric("histogram");

function requestMetrics({ counts, openConnections }: RegistryUses): readonly Metric[] {
  return [
    counter(
      "kurs_http_requests_total",
      "HTTP responses, by method, route and status",
      function* () {
        for (const { method, route, byStatus } of counts.routes()) {
          for (const [status, { count }] of byStatus) {
            yield [{ method, route, status: String(status) }, count];
          }
        }
      },
    ),
    counter(
      "kurs_http_requests_by_path_total",
      "HTTP responses, by what served them: fast_path or node_http",
      function* () {
        for (const [path, count] of Object.entries(counts.responsesByPath)) yield [{ path }, count];
      },
    ),
    histogram(
      "kurs_http_request_duration_seconds",
      "Time from the arrival of a request's head to its response",
      function* () {
        for (const { method, route, seconds } of counts.routes())
          yield [{ method, route }, seconds];
      },
    ),
    counter(
      "kurs_refusals_total",
      "Failures sent to clients, over HTTP and by MCP tools, by code",
      function* () {
        for (const [code, refusals] of counts.refusals) yield [{ code }, refusals];
      },
    ),
    counter(
      "kurs_mcp_calls_total",
      "MCP tool calls, by tool and outcome: ok or the failure's code",
      function* () {
        for (const { tool, outcome, calls } of counts.calls()) yield [{ tool, outcome }, calls];
      },
    ),
    gauge("kurs_connections_open", "Open client connections", async () =>
      one(await openConnections()),
    ),
  ];
}

function readMetrics(counts: Counts): readonly Metric[] {
  return [
    histogram("kurs_batch_reads", "Metered reads that shared one transaction", () => [
      [{}, counts.batchReads],
    ]),
    histogram(
      "kurs_commit_duration_seconds",
      "Time of the transaction that charges a batch, until it is on disk or has failed",
      () => [[{}, counts.commitSeconds]],
    ),
    counter(
      "kurs_failed_batches_total",
      "Batches of metered reads that failed in the store; all their reads got 503",
      () => one(counts.failedBatches()),
    ),
    counter("kurs_units_charged_total", "Request units charged by this process", () =>
      one(counts.unitsCharged()),
    ),
  ];
}

function storeMetrics({ readStore, readVerifiedMs, clock }: RegistryUses): readonly Metric[] {
  return [
    gauge(
      "kurs_store_up",
      "Whether the store responds and accepts writes, as for /readyz",
      async () => one((await readStore()) === undefined ? 0 : 1),
    ),
    ...sourceMetrics(readStore, clock),
    gauge(
      "kurs_outbox_mails",
      "Mails that wait to be delivered, and those given up within the last 30 days",
      async () => {
        const { outbox } = (await readStore()) ?? {};
        if (outbox === undefined) return [];
        return [
          [{ state: "waiting" }, outbox.waiting],
          [{ state: "given_up" }, outbox.givenUp],
        ];
      },
    ),
    gauge(
      "kurs_outbox_oldest_waiting_seconds",
      "Age of the oldest waiting mail; 0 without one",
      async () => {
        const { outbox } = (await readStore()) ?? {};
        if (outbox === undefined) return [];
        return one(secondsSince(outbox.oldestWaitingAt, clock) ?? 0);
      },
    ),
    gauge(
      "kurs_backup_verified_age_seconds",
      "Age of the newest backup that was verified; +Inf while none is good",
      async () => {
        const takenMs = await readVerifiedMs();
        if (takenMs === undefined) return [];
        // A backup of a time to come was taken by a wrong clock: it must not silence the alarm.
        const ageMs = clock.nowMs() - takenMs;
        return one(ageMs < 0 ? Infinity : ageMs / 1000);
      },
    ),
  ];
}

function sourceMetrics(readStore: ReadStore, clock: Clock): readonly Metric[] {
  const metric = (
    name: string,
    help: string,
    figureOf: (source: SourceState) => number | undefined,
  ) =>
    gauge(name, help, async () => {
      const states = (await readStore())?.sources ?? [];
      return states.flatMap((state) => {
        const value = figureOf(state);
        return value === undefined ? [] : [[{ source: state.source }, value] as const];
      });
    });
  return [
    metric(
      "kurs_rate_age_seconds",
      "Age of a source's newest rate by its as_of",
      ({ newestAsOf }) => secondsSince(newestAsOf, clock),
    ),
    metric(
      "kurs_source_missed_publications",
      "Publications of a source that are due and not stored, by its own calendar",
      ({ missedPublications }) => missedPublications,
    ),
    metric(
      "kurs_source_missed_pairs",
      "Pairs of a source that newer publications of it have left out, and that are not suspended",
      ({ missedPairs }) => missedPairs.count,
    ),
    metric(
      "kurs_source_failures",
      "Fetches of a source that failed since one succeeded",
      ({ failures }) => failures,
    ),
    metric("kurs_source_pairs", "Pairs that a source serves", ({ pairs }) => pairs),
  ];
}

type SourceState = NonNullable<Awaited<ReturnType<ReadStore>>>["sources"][number];

function secondsSince(time: string | undefined, clock: Clock): number | undefined {
  if (time === undefined) return undefined;
  return Math.max(0, clock.nowMs() - Date.parse(time)) / 1000;
}

function passwordMetrics({ queue }: RegistryUses["passwords"]): readonly Metric[] {
  return [
    gauge("kurs_hashing_waiting", "Passwords that wait to be hashed", () => one(queue().waiting)),
    counter(
      "kurs_hashing_refused_total",
      "Passwords rejected with 503 because too many waited",
      () => one(queue().rejected),
    ),
  ];
}

function eventLoopMetrics({ seconds }: EventLoopDelay): readonly Metric[] {
  return [
    histogram("kurs_event_loop_delay_seconds", "How late the event loop runs a due timer", () => [
      [{}, seconds],
    ]),
    counter("kurs_event_loop_active_seconds_total", "Time in which the event loop was active", () =>
      one(performance.eventLoopUtilization().active / 1000),
    ),
  ];
}

function processMetrics({ about, clock }: RegistryUses): readonly Metric[] {
  const startSeconds = clock.nowMs() / 1000 - process.uptime();
  return [
    gauge(
      "kurs_build_info",
      "The version of Kurs, the version of Node.js and the kind of store",
      () => [[{ ...about, node: process.versions.node }, 1]],
    ),
    gauge("process_start_time_seconds", "When the process started, in seconds since 1970", () =>
      one(startSeconds),
    ),
    counter(
      "process_cpu_seconds_total",
      "Processor time of the process and all its threads, user and system",
      () => {
        const { user, system } = process.cpuUsage();
        return one((user + system) / 1_000_000);
      },
    ),
    gauge("process_resident_memory_bytes", "Resident memory of the process", () =>
      one(process.memoryUsage.rss()),
    ),
    gauge("nodejs_heap_size_used_bytes", "Used memory of the JavaScript heap", () =>
      one(process.memoryUsage().heapUsed),
    ),
  ];
}
