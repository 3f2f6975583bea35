import type { Counts } from "../support/counts.ts";
import type { Ledger } from "../support/ledger.ts";
import type { AnswerCount, Story } from "./event-log.ts";
import type { Mailbox } from "./mailbox.ts";
import type { Nodes } from "./nodes.ts";
import type { PlanSettings, RoundPlan } from "./plan.ts";
import type { TorturedStore } from "./stores.ts";

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
  /** What has been done in all rounds, by kind. */
  readonly counts: Counts;
  /** Whether the workers continue. */
  isOn: boolean;
}
