import type { Answer, Call } from "../support/client.ts";
import type { OpenApiDocument } from "../support/openapi.ts";
import type { TestClock } from "../support/service.ts";
import type { Mailbox, PairName, PlanName } from "./names.ts";

/** The result of a `kurs` command. */
export interface Operated {
  readonly exitCode: number;
  readonly printed: string;
  readonly complaint: string;
}

/** One story's access to the service: two nodes on one store, and their operator. */
export interface Stage {
  readonly clock: TestClock;
  /** Node 1 requires a verified email to log in, node 0 does not. */
  call(node: 0 | 1, method: string, path: string, how?: Call): Promise<Answer>;
  url(node: 0 | 1): string;
  /** The API's document. */
  readonly document: OpenApiDocument;
  /** Runs a `kurs` command while the nodes run. */
  operate(args: readonly string[], input?: string): Promise<Operated>;
  /** The last random secret of the service: after a mail with a token, that token. */
  lastSecret(): string;
  emailOf(mailbox: Mailbox): string;
  symbolOf(symbol: string): string;
  pairOf(pair: PairName): { readonly base: string; readonly quote: string };
  planOf(plan: PlanName): string;
  tally(kind: string, outcome: string): void;
}
