import type { DatabaseSync } from "node:sqlite";

/** Bounds the memory of a copy, to some 30 MB; a full one is begun anew. */
const ENTRIES_MAX = 100_000;

/**
 * Rows in memory that are never older than the store. Inside a batch's own write transaction nobody
 * else can write, and `PRAGMA data_version` tells whether another connection has written since the
 * last batch (sqlite.org/pragma.html#pragma_data_version). What this connection writes does not
 * move it, so the engine drops the copies itself whenever it writes anything but charges.
 */
export class RowCache {
  readonly #version;
  readonly #copies: Map<string, unknown>[] = [];
  #provenVersion: unknown;

  constructor(database: DatabaseSync) {
    this.#version = database.prepare("PRAGMA data_version");
    this.#version.setReturnArrays(true);
  }

  /**
   * Adds a copy of what a search finds, under the name that it searches by. What is not found is
   * not kept: a search for what does not exist leaves nothing behind, however often it is tried.
   */
  of<Sought, Value>(
    nameOf: (sought: Sought) => string,
    find: (sought: Sought) => Value | undefined,
  ): (sought: Sought) => Value | undefined {
    const copy = new Map<string, Value>();
    this.#copies.push(copy);
    return (sought) => {
      const name = nameOf(sought);
      const known = copy.get(name);
      if (known !== undefined) return known;
      const found = find(sought);
      if (found === undefined) return undefined;
      if (copy.size >= ENTRIES_MAX) copy.clear();
      copy.set(name, found);
      return found;
    };
  }

  /** Drops what may be old. To be called inside the write transaction, before a copy is used. */
  prove(): void {
    const [version] = this.#version.get() as unknown as [number];
    if (version !== this.#provenVersion) this.drop();
    this.#provenVersion = version;
  }

  drop(): void {
    for (const copy of this.#copies) copy.clear();
  }
}
