import assert from "node:assert/strict";
import type { Answer } from "../support/client.ts";
import type { OpenApiDocument } from "../support/openapi.ts";
import { type Attempt, Sender } from "./attempt.ts";
import { type Case, caseOf, messageOf, sentBytes, simplerOnes } from "./case.ts";
import { type Cast, openLeaving, openPassing, openPermanentCast, type Player } from "./fixtures.ts";
import { type DocumentedRequest, requestsOf } from "./grammar.ts";
import { type EngineName, startTarget, type Target } from "./target.ts";

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  readonly engine: EngineName;
  /** Sends only the case with this number. */
  readonly only?: number;
  /** Called after each epoch with the number of requests so far. */
  readonly onProgress?: (sent: number) => void;
}

/** A request with a wrong response, reduced to the fewest changes that still cause it. */
export interface Finding {
  readonly fault: string;
  readonly index: number;
  readonly operation: string;
  readonly mutations: readonly string[];
  /** The bytes sent, in latin1. */
  readonly bytes: string;
}

export interface FuzzReport {
  /** The number of responses by operation and status; `(none)` for no response. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly findings: readonly Finding[];
  /** The reader's units, which responses and store agree on. */
  readonly unitsCharged: number;
}

/** After each epoch the units are compared, the clock advances, and a new passing account opens. */
const EPOCH_REQUESTS = 5000;
const EPOCH_MS = 100_000;
const CLOCK_MOVES_MS = 72_000_000;
const SENDERS = 32;
const FINDINGS_MAX = 10;

/** Sends valid and mutated requests that are generated from the service's OpenAPI document. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { requests, seed, engine, only, onProgress } = options;
  await using target = await startTarget(engine);
  const { service } = target;
  const document = (await service.get("/openapi.json")).body as unknown as OpenApiDocument;
  const state = new State(requestsOf(document), seed);
  const permanent = await openPermanentCast(target, seed);
  const units = new Units(target, [permanent.reader, permanent.other, permanent.spent]);
  using resources = new DisposableStack();
  const senders = Array.from({ length: SENDERS }, () =>
    resources.use(new Sender(service.url, document)),
  );
  const first = only === undefined ? 0 : Math.floor(only / EPOCH_REQUESTS);
  for (let start = first * EPOCH_REQUESTS; start < requests; start += EPOCH_REQUESTS) {
    const epoch = start / EPOCH_REQUESTS;
    const leaving = await openLeaving(target, seed, epoch);
    const passing = await openPassing(target, seed, epoch);
    const cast: Cast = { ...permanent, passing, leaving };
    const end = Math.min(requests, start + EPOCH_REQUESTS);
    const indices = only === undefined ? range(start, end) : [only];
    await state.tryAll(indices, cast, senders, units);
    await units.compare(state.findings, permanent.breaker);
    if (epoch * EPOCH_MS < CLOCK_MOVES_MS) service.clock.advanceMs(EPOCH_MS);
    onProgress?.(end);
    if (state.findings.length >= FINDINGS_MAX || only !== undefined) break;
  }
  return { ...state, unitsCharged: units.of(permanent.reader) };
}

const range = (start: number, end: number) =>
  Array.from({ length: end - start }, (_, offset) => start + offset);

class State {
  readonly counts = new Map<string, Map<string, number>>();
  readonly findings: Finding[] = [];
  readonly #requests: readonly DocumentedRequest[];
  readonly #seed: number;

  constructor(requests: readonly DocumentedRequest[], seed: number) {
    this.#requests = requests;
    this.#seed = seed;
  }

  /** Every sender takes the next case as soon as it is free. */
  async tryAll(indices: readonly number[], cast: Cast, senders: readonly Sender[], units: Units) {
    const queue = indices.values();
    const work = async (sender: Sender) => {
      for (const index of queue) {
        const tried = caseOf(this.#seed, index, this.#requests, cast);
        const attempt = await sender.attempt(tried, cast);
        this.#count(tried, attempt.answers);
        units.record(attempt.answers);
        if (attempt.fault === undefined) continue;
        this.findings.push(await shrink(tried, attempt, cast, sender, units));
        if (this.findings.length >= FINDINGS_MAX) return;
      }
    };
    await Promise.all(senders.map(work));
  }

  #count({ request, breaks }: Case, answers: readonly Answer[]): void {
    const name = breaks.length > 0 ? "(broken bytes)" : request.name;
    const statuses = this.counts.get(name) ?? new Map<string, number>();
    this.counts.set(name, statuses);
    for (const { status } of answers.length > 0 ? answers : [{ status: "(none)" }]) {
      statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1);
    }
  }
}

/** Removes changes from a case while the response is still wrong. */
async function shrink(tried: Case, { fault }: Attempt, cast: Cast, sender: Sender, units: Units) {
  let least = tried;
  let leastFault = fault ?? "";
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const simpler of simplerOnes(least)) {
      const attempt = await sender.attempt(simpler, cast);
      units.record(attempt.answers);
      if (attempt.fault === undefined) continue;
      [least, leastFault, isSmaller] = [simpler, attempt.fault, true];
      break;
    }
  }
  return findingOf(least, leastFault, cast);
}

function findingOf(tried: Case, fault: string, cast: Cast): Finding {
  const broken = tried.breaks.length > 0 ? [`broken bytes ×${tried.breaks.length}`] : [];
  return {
    fault,
    index: tried.index,
    operation: `${tried.request.name} as ${messageOf(tried, cast).method}`,
    mutations: [...tried.mutations.map(({ name }) => name), ...broken],
    bytes: sentBytes(tried, cast).toString("latin1"),
  };
}

/** The units that responses report, by quota, which identifies the account. */
class Units {
  readonly #target: Target;
  readonly #exact: readonly Player[];
  readonly #byQuota = new Map<number, number>();

  constructor(target: Target, exact: readonly Player[]) {
    this.#target = target;
    this.#exact = exact;
  }

  record(answers: readonly Answer[]): void {
    for (const { status, headers } of answers) {
      if (![200, 404, 503].includes(status)) continue;
      const quota = Number(/q=(\d+)/.exec(headers["ratelimit-policy"] ?? "")?.[1] ?? Number.NaN);
      if (!Number.isNaN(quota)) this.#byQuota.set(quota, (this.#byQuota.get(quota) ?? 0) + 1);
    }
  }

  of({ quota }: Player): number {
    return this.#byQuota.get(quota) ?? 0;
  }

  /** Compares reported with stored units. No request may be in flight. */
  async compare(findings: Finding[], breaker: Player): Promise<void> {
    for (const player of this.#exact) {
      const used = await this.#target.service.usedUnits(player.session);
      if (used === this.of(player)) continue;
      const fault = `${player.name} was charged ${used}, but its responses report ${this.of(player)}`;
      findings.push({ fault, index: -1, operation: "(units)", mutations: [], bytes: "" });
    }
    const used = await this.#target.service.usedUnits(breaker.session);
    assert.ok(used >= this.of(breaker), "a response was not charged");
  }
}
