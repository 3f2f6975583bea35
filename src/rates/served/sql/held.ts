import { writeEvent } from "../../../platform/audit/sql.ts";
import { chunksOf } from "../../../platform/shared/chunks.ts";
import type { Origin } from "../../../platform/shared/origin.ts";
import { type SqlValue, statement, type Transaction } from "../../../platform/storage/engine.ts";
import type { RateToHold } from "../rules/disagreement.ts";
import { pairName } from "../rules/symbol.ts";
import type { SourcedRate } from "../rules/update-policy.ts";
import { dropHeldRates, holdRates } from "../update-statements-sql.ts";
import { isAnother, isReplaced, type Superseded, setAside } from "./set-aside.ts";

/** An accepted rate, with its place in its pair's history. */
export interface Accepted {
  readonly rate: SourcedRate;
  readonly sequence: number;
}

/** What is held of a pair, and what was decided about it. */
export interface HeldState {
  /** The rate that the store holds of it. */
  heldBefore: Pick<Superseded, "held" | "heldAt"> | undefined;
  /** The last rate that was accepted. */
  served: Accepted | undefined;
  /** The served rate, if its publisher states it again where it stated the one held before. */
  restated: SourcedRate | undefined;
  /** The last rate to hold, unless one was accepted after it. */
  held: RateToHold | undefined;
}

/** Replaces the held rates of pairs by those that are accepted, restated or held now. */
export function* storeHeld(
  maxRowsPerStatement: number,
  states: readonly HeldState[],
  publication: number,
  origin: Origin,
): Transaction<void> {
  const superseded = states.flatMap(({ served, restated, held, heldBefore }) => {
    const accepted = served?.rate ?? restated;
    const isHeldAgain = held && heldBefore && !isAnother({ held: heldBefore.held, by: held });
    const by = isHeldAgain ? held : (accepted ?? held);
    const isAccepted = accepted !== undefined;
    return heldBefore === undefined || by === undefined ? [] : [{ ...heldBefore, by, isAccepted }];
  });
  yield* setAside(maxRowsPerStatement, superseded);
  for (const some of chunksOf(superseded, maxRowsPerStatement)) {
    const pairs = some.flatMap(({ by }) => [by.base, by.quote]);
    yield statement(dropHeldRates(some.length), ...pairs);
  }

  const held = states.flatMap((state) => state.held ?? []);
  for (const some of chunksOf(held, maxRowsPerStatement)) {
    const values = some.flatMap((rate) => heldValues(rate, publication, origin.at));
    yield statement(holdRates(some.length), ...values);
  }
  for (const { served, restated, held: rate, heldBefore } of states) {
    if (rate === undefined) continue;
    const before = (served ?? restated) === undefined ? heldBefore?.held : undefined;
    if (before === undefined || !isOfOneDay(before, rate)) yield writeHeld(rate, origin);
  }
}

/**
 * Whether the later of two held rates replaces the other without an event: a polled source states
 * another figure every 30 seconds, 2,880 a day.
 */
export const isOfOneDay = (one: Superseded["held"], other: Superseded["held"]) =>
  isReplaced(one, other) && one.asOf.slice(0, 10) === other.asOf.slice(0, 10);

/** @returns the event of a rate that is held from now on. */
export const writeHeld = (rate: Superseded["held"], origin: Origin) =>
  writeEvent("rate.held", origin, { details: eventDetailsOf(rate) });

/** The details of an event about a rate: enough to import it again. */
export function eventDetailsOf(rate: Superseded["held"]) {
  return { pair: pairName(rate), rate: rate.rate, as_of: rate.asOf, source: rate.source };
}

/** @returns the values of a row of `holdRates`. */
export function heldValues(held: RateToHold, publication: number, now: string): SqlValue[] {
  const { base, quote, rate, asOf, source, place = null, line = null, disagreement } = held;
  const differs = disagreement === undefined ? null : JSON.stringify(disagreement);
  return [base, quote, rate, asOf, source, now, publication, place, line, differs];
}
