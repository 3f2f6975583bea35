/** How often each kind of thing has happened. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(what: string | number): void {
    this.#counts.set(String(what), this.of(what) + 1);
  }

  of(what: string | number): number {
    return this.#counts.get(String(what)) ?? 0;
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** @param but kinds to leave out. */
  all(but: readonly string[] = []): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].filter(([what]) => !but.includes(what)).sort());
  }
}
