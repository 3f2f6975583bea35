import type { Origin } from "../shared/origin.ts";
import type { Action, AuditEvent, EventDetails } from "./rules.ts";

/** An event, and the email of its account where there is one. */
export interface ListedEvent extends AuditEvent {
  readonly email: string | undefined;
}

/** A place in the audit log, whose events are ordered by their times, then by their ids. */
export interface EventCursor {
  readonly at: string;
  readonly id: string;
}

/** The audit log. Other stores write an event in the transaction of the action itself. */
export interface AuditStore {
  /** Records an action that has no transaction of its own. */
  record(
    action: Action,
    origin: Origin,
    about?: { readonly accountId?: string; readonly details?: EventDetails },
  ): Promise<void>;
  /** A page of events, of all accounts or one, after a place, oldest first. */
  list(query: {
    readonly accountId?: string | undefined;
    readonly after: EventCursor;
    readonly limit: number;
  }): Promise<ListedEvent[]>;
  /** A page of the events of a pair, such as EUR/USD, and of every pair, oldest first. */
  ofPair(pair: string, after: EventCursor, limit: number): Promise<AuditEvent[]>;
  /** A page of an account's events, newest first: all, or those before one of its events. */
  ofAccount(accountId: string, beforeId: string | undefined, limit: number): Promise<AuditEvent[]>;
}
