import type { Answer, Call } from "../support/client.ts";
import type { TestClock } from "../support/service.ts";
import type { AddressName, Mailbox, PairName, PlanName } from "./names.ts";

/** What came of a command of `kurs`. */
export interface Operated {
  readonly exitCode: number;
  readonly printed: string;
  readonly complaint: string;
}

/** One story's view of the service: two nodes on one store, and their operator. */
export interface Stage {
  readonly clock: TestClock;
  /** Node 1 asks for verified emails at the log-in, node 0 does not. */
  call(node: 0 | 1, method: string, path: string, how?: Call): Promise<Answer>;
  /** Runs a command of `kurs` beside the nodes. */
  operate(args: readonly string[], input?: string): Promise<Operated>;
  /** The last secret that the service has drawn: where it mails a token, this is the token. */
  lastSecret(): string;
  emailOf(mailbox: Mailbox): string;
  ipOf(address: AddressName): string;
  symbolOf(symbol: string): string;
  pairOf(pair: PairName): { readonly base: string; readonly quote: string };
  planOf(plan: PlanName): string;
  tally(kind: string, outcome: string): void;
}

/** The header by which a trusted proxy tells where a call comes from. */
export const from = (stage: Stage, address: AddressName) => ({
  "x-forwarded-for": stage.ipOf(address),
});
