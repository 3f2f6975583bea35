import { Registry } from "prom-client";
import type { Clock } from "../shared/clock.ts";
import type { Secrets } from "../shared/secrets.ts";
import { addCounter, addGauge, addHistogram } from "./collectors.ts";
import type { Counts } from "./counts.ts";
import type { EventLoopDelay } from "./event-loop-delay.ts";
import type { ReadStore } from "./store-state.ts";

export interface RegistryUses {
  readonly about: { readonly version: string; readonly store: "sqlite" | "postgresql" };
  readonly counts: Counts;
  readonly eventLoopDelay: EventLoopDelay;
  readonly readStore: ReadStore;
  readonly openConnections: () => Promise<number>;
  readonly passwordQueue: Secrets["passwordQueue"];
  readonly clock: Clock;
}

/** All metrics; each is collected when it is scraped. */
export function createRegistry(uses: RegistryUses): Registry {
  const registry = new Registry();
  addRequests(registry, uses);
  addReads(registry, uses.counts);
  addStoreState(registry, uses);
  addPasswords(registry, uses.passwordQueue);
  addEventLoop(registry, uses.eventLoopDelay);
  addProcess(registry, uses);
  return registry;
}

const one = (value: number) => [[{}, value]] as const;

function addRequests(registry: Registry, { counts, openConnections }: RegistryUses): void {
  addCounter(registry, {
    name: "kurs_http_requests_total",
    help: "HTTP responses, by method, route and status",
    labels: ["method", "route", "status"],
    *read() {
      for (const { method, route, byStatus } of counts.routes()) {
        for (const [status, { answers }] of byStatus) {
          yield [{ method, route, status: String(status) }, answers];
        }
      }
    },
  });
  addCounter(registry, {
    name: "kurs_http_requests_by_path_total",
    help: "HTTP responses, by what served them: fast_path or node_http",
    labels: ["path"],
    *read() {
      for (const [path, count] of Object.entries(counts.responsesByPath)) yield [{ path }, count];
    },
  });
  addHistogram(registry, {
    name: "kurs_http_request_duration_seconds",
    help: "Time from the arrival of a request's head to its response",
    labels: ["method", "route"],
    *read() {
      for (const { method, route, seconds } of counts.routes()) yield [{ method, route }, seconds];
    },
  });
  addCounter(registry, {
    name: "kurs_refusals_total",
    help: "Failures sent to clients, over HTTP and by MCP tools, by code",
    labels: ["code"],
    *read() {
      for (const [code, refusals] of counts.refusals) yield [{ code }, refusals];
    },
  });
  addCounter(registry, {
    name: "kurs_mcp_calls_total",
    help: "MCP tool calls, by tool and outcome: ok or the failure's code",
    labels: ["tool", "outcome"],
    *read() {
      for (const { tool, outcome, calls } of counts.calls) yield [{ tool, outcome }, calls];
    },
  });
  addGauge(registry, {
    name: "kurs_connections_open",
    help: "Open client connections",
    read: async () => one(await openConnections()),
  });
}

function addReads(registry: Registry, counts: Counts): void {
  addHistogram(registry, {
    name: "kurs_batch_reads",
    help: "Metered reads that shared one transaction",
    read: () => [[{}, counts.batchReads]],
  });
  addHistogram(registry, {
    name: "kurs_commit_duration_seconds",
    help: "Time of the transaction that charges a batch, until it is on disk or has failed",
    read: () => [[{}, counts.commitSeconds]],
  });
  addCounter(registry, {
    name: "kurs_failed_batches_total",
    help: "Batches of metered reads that failed in the store; all their reads got 503",
    read: () => one(counts.failedBatches()),
  });
  addCounter(registry, {
    name: "kurs_units_charged_total",
    help: "Request units charged by this process",
    read: () => one(counts.unitsCharged()),
  });
}

function addStoreState(registry: Registry, { readStore, clock }: RegistryUses): void {
  addGauge(registry, {
    name: "kurs_store_up",
    help: "Whether the store responds",
    read: async () => one((await readStore()) === undefined ? 0 : 1),
  });
  addSources(registry, readStore, clock);
  addGauge(registry, {
    name: "kurs_outbox_mails",
    help: "Mails that wait to be delivered, and those given up within the last 30 days",
    labels: ["state"],
    async read() {
      const { outbox } = (await readStore()) ?? {};
      if (outbox === undefined) return [];
      return [
        [{ state: "waiting" }, outbox.waiting],
        [{ state: "given_up" }, outbox.givenUp],
      ];
    },
  });
  addGauge(registry, {
    name: "kurs_outbox_oldest_waiting_seconds",
    help: "Age of the oldest waiting mail; 0 without one",
    async read() {
      const { outbox } = (await readStore()) ?? {};
      if (outbox === undefined) return [];
      return one(secondsSince(outbox.oldestWaitingAt, clock) ?? 0);
    },
  });
}

function addSources(registry: Registry, readStore: ReadStore, clock: Clock): void {
  const add = (name: string, help: string, figureOf: (source: SourceState) => number | undefined) =>
    addGauge(registry, {
      name,
      help,
      labels: ["source"],
      async read() {
        const states = (await readStore())?.sources ?? [];
        return states.flatMap((state) => {
          const value = figureOf(state);
          return value === undefined ? [] : [[{ source: state.source }, value] as const];
        });
      },
    });

  add("kurs_rate_age_seconds", "Age of a source's newest rate by its as_of", ({ newestAsOf }) =>
    secondsSince(newestAsOf, clock),
  );
  add(
    "kurs_source_missed_publications",
    "Publications of a source that are due and not stored, by its own calendar",
    ({ missedPublications }) => missedPublications,
  );
  add(
    "kurs_source_failures",
    "Fetches of a source that failed since one succeeded",
    ({ failures }) => failures,
  );
  add("kurs_source_pairs", "Pairs that a source serves", ({ pairs }) => pairs);
}

type SourceState = NonNullable<Awaited<ReturnType<ReadStore>>>["sources"][number];

function secondsSince(time: string | undefined, clock: Clock): number | undefined {
  if (time === undefined) return undefined;
  return Math.max(0, clock.nowMs() - Date.parse(time)) / 1000;
}

function addPasswords(registry: Registry, passwordQueue: Secrets["passwordQueue"]): void {
  addGauge(registry, {
    name: "kurs_hashing_waiting",
    help: "Passwords that wait to be hashed",
    read: () => one(passwordQueue().waiting),
  });
  addCounter(registry, {
    name: "kurs_hashing_refused_total",
    help: "Passwords rejected with 503 because too many waited",
    read: () => one(passwordQueue().rejected),
  });
}

function addEventLoop(registry: Registry, { seconds }: EventLoopDelay): void {
  addHistogram(registry, {
    name: "kurs_event_loop_delay_seconds",
    help: "How late the event loop runs a due timer",
    read: () => [[{}, seconds]],
  });
  addCounter(registry, {
    name: "kurs_event_loop_active_seconds_total",
    help: "Time in which the event loop was active",
    read: () => one(performance.eventLoopUtilization().active / 1000),
  });
}

function addProcess(registry: Registry, { about, clock }: RegistryUses): void {
  addGauge(registry, {
    name: "kurs_build_info",
    help: "The version of Kurs, the version of Node.js and the kind of store",
    labels: ["version", "node", "store"],
    read: () => [[{ ...about, node: process.versions.node }, 1]],
  });
  const startSeconds = clock.nowMs() / 1000 - process.uptime();
  addGauge(registry, {
    name: "process_start_time_seconds",
    help: "When the process started, in seconds since 1970",
    read: () => one(startSeconds),
  });
  addCounter(registry, {
    name: "process_cpu_seconds_total",
    help: "Processor time of the process and all its threads, user and system",
    read: () => {
      const { user, system } = process.cpuUsage();
      return one((user + system) / 1_000_000);
    },
  });
  addGauge(registry, {
    name: "process_resident_memory_bytes",
    help: "Resident memory of the process",
    read: () => one(process.memoryUsage.rss()),
  });
  addGauge(registry, {
    name: "nodejs_heap_size_used_bytes",
    help: "Used memory of the JavaScript heap",
    read: () => one(process.memoryUsage().heapUsed),
  });
}
