import { setTimeout as after } from "node:timers/promises";
import type { FigureName, Figures } from "./figures.ts";
import type { Load, LoadResult } from "./load/load.ts";
import { filledRequest, type LoadRequest, type SlotCounts } from "./load/requests.ts";
import { cpuMicrosOf, residentMib } from "./processes.ts";
import type { RunningServer } from "./servers.ts";
import type { UnitsCharged } from "./stores/charged-units.ts";

/** One of those that are loaded in turns. */
export interface Contestant {
  readonly name: string;
  /** More than one share the connections. */
  readonly servers: readonly RunningServer[];
  readonly request: LoadRequest;
  readonly counts: SlotCounts;
  /** What every answer's status is; 200 unless said. */
  readonly status?: number;
  /** Its books, which must agree with the answers; none: it keeps none. */
  readonly charges?: Charges;
  /** Counts, growing all the time, that are told for each request. */
  readonly meters?: () => Promise<Figures>;
  /** Starts what goes on beside the load; `end` is called after it. */
  readonly company?: () => Promise<Company>;
}

export interface Charges {
  readonly unitsCharged: UnitsCharged;
  readonly unitsAnAnswer: 0 | 1;
}

export interface Company {
  /** Waits until it is over. @returns what it did. */
  end(): Promise<Figures>;
}

export interface Round {
  readonly figures: Figures;
  readonly words: string;
  readonly isRight: boolean;
}

/** A server that charges nothing for so long is done: even the slowest yardstick takes 2 ms a unit. */
const SETTLE_MS = 50;

export interface RoundSettings {
  readonly connections: number;
  readonly seconds: number;
}

/** Sends one request as the load will. @throws when its status is another than expected. */
export async function tryOut({ name, servers, request, status = 200 }: Contestant): Promise<void> {
  const { method, path, headers, body } = filledRequest(request, { account: 0, pair: 0 });
  const sent = { method, headers, body: body ?? null };
  for (const { url } of servers) {
    const answer = await fetch(url + path, sent);
    const text = await answer.text();
    if (answer.status !== status) throw new Error(`${name}: ${answer.status} ${text}`);
  }
}

/** Loads a contestant once, measures it, and compares its books with the answers. */
export async function playRound(
  contestant: Contestant,
  load: Load,
  settings: RoundSettings,
): Promise<Round> {
  const { servers, charges, status = 200 } = contestant;
  const unitsBefore = await settledUnits(charges);
  const company = await contestant.company?.();
  const loaded = loadMeasured(contestant, load, settings);
  // Whether the load worked out or not, the company is ended.
  await Promise.allSettled([loaded]);
  const besides = await company?.end();
  const { result, spent } = await loaded;
  const units = (await settledUnits(charges)) - unitsBefore;

  const { answers, refused, broken, ...speed } = result;
  const answered = answers + refused;
  // What is in flight when the load stops is charged, and its answer not waited for.
  const inFlight = units - answered * (charges?.unitsAnAnswer ?? 0);
  const inFlightMax = settings.connections * (charges?.unitsAnAnswer ?? 0);
  const isExact = inFlight >= 0 && inFlight <= inFlightMax;
  const isRight = broken === 0 && (status < 400 ? refused : answers) === 0 && answered > 0;
  const books =
    charges === undefined
      ? ""
      : `, units charged ${units}, in flight at the end ${inFlight}: ${isExact ? "exact" : "WRONG"}`;
  return {
    figures: {
      ...speed,
      ...besides,
      ...perRequest(spent, answered),
      rssMib: sum(await Promise.all(servers.map(({ pid }) => residentMib(pid)))),
    },
    words: `answers ${answered}${isRight ? "" : " (WRONG STATUS OR BROKEN)"}${books}`,
    isRight: isRight && isExact,
  };
}

/** Waits until what was in flight when a load stopped has been charged, too. */
async function settledUnits(charges: Charges | undefined): Promise<number> {
  if (charges === undefined) return 0;
  let units = await charges.unitsCharged();
  for (let before = Number.NaN; units !== before; ) {
    await after(SETTLE_MS);
    before = units;
    units = await charges.unitsCharged();
  }
  return units;
}

/** @returns what the load saw, and by how much the meters have grown. */
async function loadMeasured(contestant: Contestant, load: Load, settings: RoundSettings) {
  const before = await metersOf(contestant);
  const result = await loadAll(contestant, load, settings);
  const grown = await metersOf(contestant);
  const spent = (Object.keys(grown) as FigureName[]).map((name) => {
    const [from, to] = [before[name], grown[name]];
    return [name, from === undefined || to === undefined ? undefined : to - from] as const;
  });
  return { result, spent };
}

/** Several servers share the connections, and their figures are added up. */
async function loadAll(
  { servers, request, counts }: Contestant,
  load: Load,
  { connections, seconds }: RoundSettings,
): Promise<LoadResult> {
  const share = Math.ceil(connections / servers.length);
  const parts = await Promise.all(
    servers.map(({ url }) => load({ url, request, counts, connections: share, seconds })),
  );
  const all = (figure: keyof LoadResult) => parts.map((part) => part[figure]);
  const total = (figure: keyof LoadResult) => all(figure).reduce((left, right) => left + right, 0);
  return {
    answers: total("answers"),
    refused: total("refused"),
    broken: total("broken"),
    requestsPerSecond: total("requestsPerSecond"),
    p50Ms: Math.max(...all("p50Ms")),
    p99Ms: Math.max(...all("p99Ms")),
    worstMs: Math.max(...all("worstMs")),
  };
}

async function metersOf({ servers, meters }: Contestant): Promise<Figures> {
  const cpuMicros = sum(await Promise.all(servers.map(({ pid }) => cpuMicrosOf(pid))));
  return { cpuMicros, ...(await meters?.()) };
}

function perRequest(
  spent: readonly (readonly [FigureName, number | undefined])[],
  requests: number,
): Figures {
  return Object.fromEntries(
    spent.map(([name, amount]) => [name, amount === undefined ? amount : amount / requests]),
  );
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((left = 0, right) => (right === undefined ? undefined : left + right), 0);
}
