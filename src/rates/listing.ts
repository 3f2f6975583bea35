import type {
  Coverage,
  CoverageStore,
  CoveredPair,
  CoveredSource,
  Moment,
  Owned,
  PairState,
} from "./coverage.ts";
import type { AssetSymbol, Pair } from "./rules/symbol.ts";

// The text of all pairs: 19 MB for 100,000 of them. It is built once for each version of the rates,
// in slices between which the event loop serves reads, and shared by all responses.

/** Texts in memory, older ones included while they are being sent; beyond it a text is not kept. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** A response over MCP lists at most this many pairs. */
export const FIRST_PAIRS_MAX = 1000;

/** Every pair at one version. */
export interface Listing {
  readonly moment: Moment;
  /** The sources now: their last fetches change without a new version. */
  readonly sources: readonly CoveredSource[];
  readonly pairsCount: number;
  /** The first pairs, and whether there are more. */
  readonly first: readonly CoveredPair[];
  readonly isLonger: boolean;
  /**
   * The text of all pairs; undefined for one that is not kept in memory: `textsOf` reads it
   * again.
   */
  readonly text: { readonly parts: readonly Uint8Array[]; readonly bytes: number } | undefined;
  /** Of the text; undefined when it is not kept, or when the rates changed while it was built. */
  readonly digest: string | undefined;
  /** To call once when the text is sent. */
  release(): void;
}

export interface Listings {
  current(): Promise<Listing>;
  /** The first pairs of one base, and the sources of these. */
  ofBase(base: AssetSymbol): Promise<{
    readonly sources: readonly CoveredSource[];
    readonly pairs: readonly CoveredPair[];
    readonly isLonger: boolean;
  }>;
  /** The text of the pairs, read again from the store. */
  textsOf(moment: Moment): AsyncGenerator<Uint8Array, void>;
}

/** What one pass over all pairs found. */
interface Built extends Omit<Listing, "sources" | "release"> {
  /** By the key of each source. */
  readonly owned: ReadonlyMap<string, Owned>;
  /** Whether the rates stayed the same meanwhile. */
  readonly isWhole: boolean;
}

export interface ListingUses {
  readonly store: CoverageStore;
  readonly coverage: Coverage;
  /** @returns pairs as JSON, separated by commas. */
  readonly encode: (pairs: readonly CoveredPair[], isFirst: boolean) => Uint8Array;
  readonly createDigest: () => { update(bytes: Uint8Array): void; value(): string };
  /** Lets other requests run between two pages. */
  readonly nextIteration: () => Promise<void>;
}

export function createListings(uses: ListingUses): Listings {
  const { coverage } = uses;
  const budget = createBudget();
  let newest: Built | undefined;
  let running: { readonly moment: Moment; readonly built: Promise<Built> } | undefined;
  let next: Promise<Built> | undefined;

  const start = (moment: Moment): Promise<Built> => {
    const built = build(uses, budget, moment)
      .then((done) => {
        if (!done.isWhole) return done;
        if (newest !== undefined) budget.release(newest);
        newest = done;
        budget.use(done);
        return done;
      })
      .finally(() => {
        running = undefined;
      });
    running = { moment, built };
    return built;
  };

  /** Never joins a pass that began before the last change. */
  const builtAt = (moment: Moment): Promise<Built> => {
    if (newest !== undefined && isSame(newest.moment, moment)) return Promise.resolve(newest);
    if (running === undefined) return start(moment);
    if (isSame(running.moment, moment)) return running.built;
    next ??= running.built.then(ignore, ignore).then(async () => {
      next = undefined;
      return builtAt(await coverage.moment());
    });
    return next;
  };

  const current: Listings["current"] = async () => {
    const moment = await coverage.moment();
    const { owned, isWhole: _, ...built } = await builtAt(moment);
    const sources = await coverage.sourcesAt(moment, owned);
    budget.use(built);
    return { ...built, sources, release: () => budget.release(built) };
  };

  return {
    current,

    async ofBase(base) {
      const { moment, sources, release } = await current();
      release();
      const stored = await uses.store.ofBase(base, FIRST_PAIRS_MAX + 1);
      const pairs = stored.map((pair) => coverage.pairAt(moment, pair));
      const first = pairs.slice(0, FIRST_PAIRS_MAX);
      const owners = new Set(first.map(({ state }) => state.source));
      return {
        sources: sources.filter(({ source }) => owners.has(source.key)),
        pairs: first,
        isLonger: pairs.length > FIRST_PAIRS_MAX,
      };
    },

    async *textsOf(moment) {
      let isFirst = true;
      for await (const pairs of pagesOf(uses, moment)) {
        yield uses.encode(pairs, isFirst);
        isFirst = false;
      }
    },
  };
}

function isSame(one: Moment, other: Moment): boolean {
  return one.version === other.version && one.untilMs === other.untilMs;
}

function ignore(): void {}

type Text = Listing["text"];

/** Counts the bytes of the texts in memory: each as long as something uses it. */
interface Budget {
  /** @returns whether the texts in memory leave room for this number of further bytes. */
  hasRoomFor(bytes: number): boolean;
  use(held: { readonly text: Text }): void;
  release(held: { readonly text: Text }): void;
}

function createBudget(): Budget {
  const users = new Map<Text, number>();
  const heldBytes = () => [...users.keys()].reduce((sum, text) => sum + (text?.bytes ?? 0), 0);
  return {
    hasRoomFor: (bytes) => heldBytes() + bytes <= HELD_BYTES_MAX,
    use: ({ text }) => void users.set(text, (users.get(text) ?? 0) + 1),
    release({ text }) {
      const left = (users.get(text) ?? 0) - 1;
      if (left > 0) users.set(text, left);
      else users.delete(text);
    },
  };
}

async function* pagesOf(
  { store, coverage, nextIteration }: ListingUses,
  moment: Moment,
): AsyncGenerator<readonly CoveredPair[], void> {
  let last: Pair | undefined;
  while (true) {
    await nextIteration();
    const page = await store.pageAfter(last);
    last = page.at(-1);
    if (last === undefined) return;
    yield page.map((pair) => coverage.pairAt(moment, pair));
  }
}

async function build(uses: ListingUses, budget: Budget, moment: Moment): Promise<Built> {
  const states = new Map<PairState, number>();
  const first: CoveredPair[] = [];
  const digest = uses.createDigest();
  let parts: Uint8Array[] | undefined = [];
  let [bytes, pairsCount] = [0, 0];
  for await (const pairs of pagesOf(uses, moment)) {
    for (const { state } of pairs) states.set(state, (states.get(state) ?? 0) + 1);
    if (first.length < FIRST_PAIRS_MAX) first.push(...pairs);
    pairsCount += pairs.length;
    if (parts === undefined) continue;
    const part = uses.encode(pairs, parts.length === 0);
    digest.update(part);
    bytes += part.byteLength;
    parts.push(part);
    if (!budget.hasRoomFor(bytes)) parts = undefined;
  }
  const isWhole = (await uses.store.version()) === moment.version;
  return {
    moment,
    owned: ownedIn(states),
    isWhole,
    pairsCount,
    first: first.slice(0, FIRST_PAIRS_MAX),
    isLonger: pairsCount > FIRST_PAIRS_MAX,
    text: parts && { parts, bytes },
    digest: isWhole && parts !== undefined ? digest.value() : undefined,
  };
}

/** @param states with their numbers of pairs. */
function ownedIn(states: ReadonlyMap<PairState, number>): ReadonlyMap<string, Owned> {
  const owned = new Map<string, Owned>();
  for (const [{ source, asOf }, count] of states) {
    const { pairs, newestAsOf } = owned.get(source) ?? { pairs: 0, newestAsOf: asOf };
    const newest = asOf > newestAsOf ? asOf : newestAsOf;
    owned.set(source, { pairs: pairs + count, newestAsOf: newest });
  }
  return owned;
}
