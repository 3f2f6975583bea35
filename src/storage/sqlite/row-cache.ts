import type { DatabaseSync } from "node:sqlite";

/** Limits the memory of one cache to about 30 MB; a full cache is cleared. */
const ENTRIES_MAX = 100_000;

/**
 * A cache of rows that is never stale. A batch reads it inside its own write transaction, in which
 * no other connection can write, and `PRAGMA data_version` shows whether another connection has
 * written since the last batch (sqlite.org/pragma.html#pragma_data_version). This connection's own
 * writes do not change it, so the engine itself drops the rows before each write except charges.
 */
export class RowCache {
  readonly #version;
  readonly #caches: Map<string, unknown>[] = [];
  #validVersion: unknown;

  constructor(database: DatabaseSync) {
    this.#version = database.prepare("PRAGMA data_version");
    this.#version.setReturnArrays(true);
  }

  /**
   * Adds a cache for the results of a search, by the key that it searches for. Missing rows are not
   * cached: searches for them use no memory, however often they run.
   */
  of<Sought, Value>(
    nameOf: (sought: Sought) => string,
    find: (sought: Sought) => Value | undefined,
  ): (sought: Sought) => Value | undefined {
    const cache = new Map<string, Value>();
    this.#caches.push(cache);
    return (sought) => {
      const name = nameOf(sought);
      const known = cache.get(name);
      if (known !== undefined) return known;
      const found = find(sought);
      if (found === undefined) return undefined;
      if (cache.size >= ENTRIES_MAX) cache.clear();
      cache.set(name, found);
      return found;
    };
  }

  /** Drops rows that may be stale. Call it in the write transaction, before a cache is used. */
  revalidate(): void {
    const [version] = this.#version.get() as unknown as [number];
    if (version !== this.#validVersion) this.clear();
    this.#validVersion = version;
  }

  clear(): void {
    for (const cache of this.#caches) cache.clear();
  }
}
