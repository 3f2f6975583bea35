import type { AnswerCount, Story } from "./event-log.ts";
import type { Ledger } from "./ledger.ts";
import type { Mailbox } from "./mailbox.ts";
import type { Nodes } from "./nodes.ts";
import type { PlanSettings, RoundPlan } from "./plan.ts";
import type { TorturedStore } from "./stores.ts";

/** Counts of what was done in all rounds, by kind. */
export class Counts {
  readonly #counts = new Map<string, number>();

  count(what: string, times = 1): void {
    this.#counts.set(what, this.of(what) + times);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  allBut(names: readonly string[]): Record<string, number> {
    const others = [...this.#counts].filter(([name]) => !names.includes(name));
    return Object.fromEntries(others.sort());
  }
}

/** Everything that a round works with. */
export interface Round {
  readonly settings: PlanSettings;
  readonly plan: RoundPlan;
  readonly store: TorturedStore;
  readonly nodes: Nodes;
  readonly ledger: Ledger;
  readonly mailbox: Mailbox;
  readonly story: Story;
  readonly answers: AnswerCount;
  readonly counts: Counts;
  /** Whether the workers continue. */
  isOn: boolean;
}
