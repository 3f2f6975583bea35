import type { Clock } from "../shared/clock.ts";
import type { Secrets } from "../shared/secrets.ts";
import type { ReadVerifiedBackup } from "./backup-state.ts";
import type { Counts } from "./counts.ts";
import type { EventLoopDelay } from "./event-loop-delay.ts";
import type { Metric } from "./exposition.ts";
import type { ReadStore } from "./store-state.ts";

export interface RegistryUses {
  readonly about: { readonly version: string; readonly store: "sqlite" | "postgresql" };
  readonly counts: Counts;
  readonly eventLoopDelay: EventLoopDelay;
  readonly readStore: ReadStore;
  readonly readVerifiedBackup: ReadVerifiedBackup;
  readonly openConnections: () => Promise<number>;
  readonly passwordQueue: Secrets["passwordQueue"];
  readonly clock: Clock;
}

/** All metrics; a scrape reads each. */
export function createRegistry(uses: RegistryUses): readonly Metric[] {
  return [
    ...requestMetrics(uses),
    ...readMetrics(uses.counts),
    ...storeMetrics(uses),
    ...passwordMetrics(uses.passwordQueue),
    ...eventLoopMetrics(uses.eventLoopDelay),
    ...processMetrics(uses),
  ];
}

const one = (value: number) => [[{}, value]] as const;

function requestMetrics({ counts, openConnections }: RegistryUses): readonly Metric[] {
  return [
    {
      type: "counter",
      name: "kurs_http_requests_total",
      help: "HTTP responses, by method, route and status",
      *read() {
        for (const { method, route, byStatus } of counts.routes()) {
          for (const [status, { count }] of byStatus) {
            yield [{ method, route, status: String(status) }, count];
          }
        }
      },
    },
    {
      type: "counter",
      name: "kurs_http_requests_by_path_total",
      help: "HTTP responses, by what served them: fast_path or node_http",
      *read() {
        for (const [path, count] of Object.entries(counts.responsesByPath)) yield [{ path }, count];
      },
    },
    {
      type: "histogram",
      name: "kurs_http_request_duration_seconds",
      help: "Time from the arrival of a request's head to its response",
      *read() {
        for (const { method, route, seconds } of counts.routes())
          yield [{ method, route }, seconds];
      },
    },
    {
      type: "counter",
      name: "kurs_refusals_total",
      help: "Failures sent to clients, over HTTP and by MCP tools, by code",
      *read() {
        for (const [code, refusals] of counts.refusals) yield [{ code }, refusals];
      },
    },
    {
      type: "counter",
      name: "kurs_mcp_calls_total",
      help: "MCP tool calls, by tool and outcome: ok or the failure's code",
      *read() {
        for (const { tool, outcome, calls } of counts.calls) yield [{ tool, outcome }, calls];
      },
    },
    {
      type: "gauge",
      name: "kurs_connections_open",
      help: "Open client connections",
      read: async () => one(await openConnections()),
    },
  ];
}

function readMetrics(counts: Counts): readonly Metric[] {
  return [
    {
      type: "histogram",
      name: "kurs_batch_reads",
      help: "Metered reads that shared one transaction",
      read: () => [[{}, counts.batchReads]],
    },
    {
      type: "histogram",
      name: "kurs_commit_duration_seconds",
      help: "Time of the transaction that charges a batch, until it is on disk or has failed",
      read: () => [[{}, counts.commitSeconds]],
    },
    {
      type: "counter",
      name: "kurs_failed_batches_total",
      help: "Batches of metered reads that failed in the store; all their reads got 503",
      read: () => one(counts.failedBatches()),
    },
    {
      type: "counter",
      name: "kurs_units_charged_total",
      help: "Request units charged by this process",
      read: () => one(counts.unitsCharged()),
    },
  ];
}

function storeMetrics({ readStore, readVerifiedBackup, clock }: RegistryUses): readonly Metric[] {
  return [
    {
      type: "gauge",
      name: "kurs_store_up",
      help: "Whether the store responds and accepts writes, as for /readyz",
      read: async () => one((await readStore()) === undefined ? 0 : 1),
    },
    ...sourceMetrics(readStore, clock),
    {
      type: "gauge",
      name: "kurs_outbox_mails",
      help: "Mails that wait to be delivered, and those given up within the last 30 days",
      async read() {
        const { outbox } = (await readStore()) ?? {};
        if (outbox === undefined) return [];
        return [
          [{ state: "waiting" }, outbox.waiting],
          [{ state: "given_up" }, outbox.givenUp],
        ];
      },
    },
    {
      type: "gauge",
      name: "kurs_outbox_oldest_waiting_seconds",
      help: "Age of the oldest waiting mail; 0 without one",
      async read() {
        const { outbox } = (await readStore()) ?? {};
        if (outbox === undefined) return [];
        return one(secondsSince(outbox.oldestWaitingAt, clock) ?? 0);
      },
    },
    {
      type: "gauge",
      name: "kurs_backup_verified_age_seconds",
      help: "Age of the newest backup that was verified; +Inf while none is good",
      async read() {
        const takenMs = await readVerifiedBackup();
        if (takenMs === undefined) return [];
        // A backup of a time to come was taken by a wrong clock: it must not silence the alarm.
        const ageMs = clock.nowMs() - takenMs;
        return one(ageMs < 0 ? Infinity : ageMs / 1000);
      },
    },
  ];
}

function sourceMetrics(readStore: ReadStore, clock: Clock): readonly Metric[] {
  const metric = (
    name: string,
    help: string,
    figureOf: (source: SourceState) => number | undefined,
  ): Metric => ({
    type: "gauge",
    name,
    help,
    async read() {
      const states = (await readStore())?.sources ?? [];
      return states.flatMap((state) => {
        const value = figureOf(state);
        return value === undefined ? [] : [[{ source: state.source }, value] as const];
      });
    },
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

function passwordMetrics(passwordQueue: Secrets["passwordQueue"]): readonly Metric[] {
  return [
    {
      type: "gauge",
      name: "kurs_hashing_waiting",
      help: "Passwords that wait to be hashed",
      read: () => one(passwordQueue().waiting),
    },
    {
      type: "counter",
      name: "kurs_hashing_refused_total",
      help: "Passwords rejected with 503 because too many waited",
      read: () => one(passwordQueue().rejected),
    },
  ];
}

function eventLoopMetrics({ seconds }: EventLoopDelay): readonly Metric[] {
  return [
    {
      type: "histogram",
      name: "kurs_event_loop_delay_seconds",
      help: "How late the event loop runs a due timer",
      read: () => [[{}, seconds]],
    },
    {
      type: "counter",
      name: "kurs_event_loop_active_seconds_total",
      help: "Time in which the event loop was active",
      read: () => one(performance.eventLoopUtilization().active / 1000),
    },
  ];
}

function processMetrics({ about, clock }: RegistryUses): readonly Metric[] {
  const startSeconds = clock.nowMs() / 1000 - process.uptime();
  return [
    {
      type: "gauge",
      name: "kurs_build_info",
      help: "The version of Kurs, the version of Node.js and the kind of store",
      read: () => [[{ ...about, node: process.versions.node }, 1]],
    },
    {
      type: "gauge",
      name: "process_start_time_seconds",
      help: "When the process started, in seconds since 1970",
      read: () => one(startSeconds),
    },
    {
      type: "counter",
      name: "process_cpu_seconds_total",
      help: "Processor time of the process and all its threads, user and system",
      read: () => {
        const { user, system } = process.cpuUsage();
        return one((user + system) / 1_000_000);
      },
    },
    {
      type: "gauge",
      name: "process_resident_memory_bytes",
      help: "Resident memory of the process",
      read: () => one(process.memoryUsage.rss()),
    },
    {
      type: "gauge",
      name: "nodejs_heap_size_used_bytes",
      help: "Used memory of the JavaScript heap",
      read: () => one(process.memoryUsage().heapUsed),
    },
  ];
}
