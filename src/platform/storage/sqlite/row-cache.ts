import type { DatabaseSync } from "node:sqlite";

/** Limits the memory of a cache to about 30 MB; beyond it, all are cleared. */
const ENTRIES_MAX = 100_000;

/**
 * A cache of rows that is never stale. A batch reads it inside its own write transaction, in which
 * no other connection can write, and `PRAGMA data_version` shows whether another connection has
 * written since the last batch (sqlite.org/pragma.html#pragma_data_version). This connection's own
 * writes do not change it, so the engine itself drops the rows before each write except charges,
 * and after a batch that failed. Entries disappear only between two batches: they may refer to each
 * other, and a batch may change those that it charges.
 */
export class RowCache {
  readonly #version;
  readonly #maps: Map<unknown, unknown>[] = [];
  #validVersion: unknown;

  constructor(database: DatabaseSync) {
    this.#version = database.prepare("PRAGMA data_version");
    this.#version.setReturnArrays(true);
  }

  /** Adds a map of rows, which a batch fills. */
  map<Name, Value>(): Map<Name, Value> {
    const map = new Map<Name, Value>();
    this.#maps.push(map);
    return map;
  }

  /**
   * Adds a cache for the results of a search, by the key that it searches for. Missing rows are not
   * cached: searches for them use no memory, however often they run.
   */
  of<Sought, Value>(
    nameOf: (sought: Sought) => string,
    find: (sought: Sought) => Value | undefined,
  ): (sought: Sought) => Value | undefined {
    const cache = this.map<string, Value>();
    return (sought) => {
      const name = nameOf(sought);
      const known = cache.get(name);
      if (known !== undefined) return known;
      const found = find(sought);
      if (found === undefined) return undefined;
      cache.set(name, found);
      return found;
    };
  }

  /** Drops rows that may be stale or are too many. Call it first in a write transaction. */
  revalidate(): void {
    const [version] = this.#version.get() as unknown as [number];
    const isFull = this.#maps.some(({ size }) => size > ENTRIES_MAX);
    if (isFull || version !== this.#validVersion) this.clear();
    this.#validVersion = version;
  }

  clear(): void {
    for (const map of this.#maps) map.clear();
  }
}
