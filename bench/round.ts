import { setTimeout as sleep } from "node:timers/promises";
import type { FigureName, Figures } from "./figures.ts";
import type { Load, LoadResult } from "./load/generator.ts";
import {
  type Distribution,
  filledRequest,
  type LoadRequest,
  OTHER_EVERY,
  type SlotCounts,
} from "./load/requests.ts";
import { cpuMicrosOf, residentMib } from "./processes.ts";
import type { RunningServer } from "./servers.ts";
import type { UnitsCharged } from "./stores/charged-units.ts";

/** What is loaded and measured: a server, or several, with one kind of request. */
export interface Target {
  readonly name: string;
  /** Not Kurs, and so the same beside every version of it. */
  readonly isYardstick?: true;
  /** Several servers share the connections. */
  readonly servers: readonly RunningServer[];
  readonly request: LoadRequest;
  readonly counts: SlotCounts;
  /** Uniform by default. */
  readonly distribution?: Distribution;
  /** The expected status of every response; 200 by default. */
  readonly status?: number;
  /** The charges that must agree with the responses; undefined when the target charges nothing. */
  readonly charges?: Charges;
  /** Reads counters that only grow; the table shows their growth per request. */
  readonly readCounters?: () => Promise<Figures>;
  /** Starts work that runs during the load; `end` is called after the load. */
  readonly startBackground?: () => Promise<BackgroundWork>;
}

interface Charges {
  readonly unitsCharged: UnitsCharged;
  readonly unitsPerResponse: 0 | 1;
}

export interface BackgroundWork {
  /** Waits until the work has ended. @returns its figures. */
  end(): Promise<Figures>;
}

export interface Round {
  readonly responses: number;
  readonly figures: Figures;
  readonly summary: string;
  readonly isCorrect: boolean;
}

/** A server without a charge for this long has finished: the slowest yardstick takes 2 ms each. */
const SETTLE_MS = 50;

export interface RoundSettings {
  readonly connections: number;
  readonly seconds: number;
}

/** Sends one request of the load to each server. @throws when a response has another status. */
export async function probe({ name, servers, request, status = 200 }: Target): Promise<void> {
  const { method, path, headers, body } = filledRequest(request, { account: 0, pair: 0 });
  const sent = { method, headers, body: body ?? null };
  for (const { url } of servers) {
    const response = await fetch(url + path, sent);
    const text = await response.text();
    if (response.status !== status) throw new Error(`${name}: ${response.status} ${text}`);
  }
}

/** Loads a target once, measures it, and compares the units charged with the responses. */
export async function runRound(
  target: Target,
  load: Load,
  settings: RoundSettings,
): Promise<Round> {
  const { servers, charges, status = 200 } = target;
  const unitsBefore = await settledUnits(charges);
  const background = await target.startBackground?.();
  const loaded = loadMeasured(target, load, settings);
  // The background work is ended even when the load fails.
  await Promise.allSettled([loaded]);
  const backgroundFigures = await background?.end();
  const { result, growth } = await loaded;
  const units = (await settledUnits(charges)) - unitsBefore;

  const { succeeded, rejected, failed, ...speed } = result;
  const responses = succeeded + rejected;
  const isMixed = target.request.others !== undefined;
  const others = isMixed ? Math.round(responses / OTHER_EVERY) : 0;
  // Requests in flight when the load stops are charged, but their responses are not counted.
  const inFlight = units - (responses - others) * (charges?.unitsPerResponse ?? 0);
  const inFlightMax = settings.connections * (charges?.unitsPerResponse ?? 0);
  // In mixed traffic, any of those in flight may be other requests, which are not charged.
  const isExact = inFlight >= (isMixed ? -inFlightMax : 0) && inFlight <= inFlightMax;
  const wrong = status < 400 ? rejected : succeeded;
  // Some of the other requests are rejected; a rejected read would be missing in the units.
  const isCorrect = failed === 0 && wrong <= others && responses > 0;
  const chargesSummary =
    charges === undefined
      ? ""
      : `, units charged ${units}, in flight at the end ${inFlight}: ${isExact ? "exact" : "WRONG"}`;
  return {
    responses,
    figures: {
      ...speed,
      ...backgroundFigures,
      ...perRequest(growth, responses),
      rssMib: sum(await Promise.all(servers.map(({ pid }) => residentMib(pid)))),
    },
    summary: `responses ${responses}${isCorrect ? "" : " (WRONG STATUS OR FAILED)"}${chargesSummary}`,
    isCorrect: isCorrect && isExact,
  };
}

/** Waits until the requests in flight at the end of a load have been charged, too. */
async function settledUnits(charges: Charges | undefined): Promise<number> {
  if (charges === undefined) return 0;
  let units = await charges.unitsCharged();
  for (let before = Number.NaN; units !== before; ) {
    await sleep(SETTLE_MS);
    before = units;
    units = await charges.unitsCharged();
  }
  return units;
}

/** @returns the result of the load, and by how much the counters grew. */
async function loadMeasured(target: Target, load: Load, settings: RoundSettings) {
  const before = await countersOf(target);
  const result = await loadAll(target, load, settings);
  const after = await countersOf(target);
  const growth = (Object.keys(after) as FigureName[]).map((name) => {
    const [from, to] = [before[name], after[name]];
    return [name, from === undefined || to === undefined ? undefined : to - from] as const;
  });
  return { result, growth };
}

/** Several servers share the connections. Their counts are added; of the times the worst counts. */
async function loadAll(
  { servers, request, counts, distribution = "uniform" }: Target,
  load: Load,
  { connections, seconds }: RoundSettings,
): Promise<LoadResult> {
  const share = Math.ceil(connections / servers.length);
  const parts = await Promise.all(
    servers.map(({ url }) =>
      load({ url, request, counts, distribution, connections: share, seconds }),
    ),
  );
  const all = (figure: keyof LoadResult) => parts.map((part) => part[figure]);
  const total = (figure: keyof LoadResult) => all(figure).reduce((left, right) => left + right, 0);
  return {
    succeeded: total("succeeded"),
    rejected: total("rejected"),
    failed: total("failed"),
    requestsPerSecond: total("requestsPerSecond"),
    p50Ms: Math.max(...all("p50Ms")),
    p99Ms: Math.max(...all("p99Ms")),
    worstMs: Math.max(...all("worstMs")),
  };
}

async function countersOf({ servers, readCounters }: Target): Promise<Figures> {
  const cpuMicros = sum(await Promise.all(servers.map(({ pid }) => cpuMicrosOf(pid))));
  return { cpuMicros, ...(await readCounters?.()) };
}

function perRequest(
  growth: readonly (readonly [FigureName, number | undefined])[],
  requests: number,
): Figures {
  return Object.fromEntries(
    growth.map(([name, amount]) => [name, amount === undefined ? amount : amount / requests]),
  );
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((left = 0, right) => (right === undefined ? undefined : left + right), 0);
}
