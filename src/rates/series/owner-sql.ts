import { writeEvent } from "../../platform/audit/sql.ts";
import type { Origin } from "../../platform/shared/origin.ts";
import { textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import type { HeadersOf } from "../served/headers.ts";
import type { Pair } from "../served/rules/symbol.ts";
import type { SourcedRate } from "../served/rules/update-policy.ts";
import { eventDetailsOf, heldValues, writeHeld } from "../served/sql/held.ts";
import { setAside } from "../served/sql/set-aside.ts";
import { readSourcedRate, storeRate } from "../served/update-sql.ts";
import { holdRates, RATES_LOCK, TAKE_HELD_RATE } from "../served/update-statements-sql.ts";
import { decideOwner } from "./rules.ts";
import { FIGURES_OF_SERIES, storedFigureOf } from "./sql.ts";
import type { OwnerChange, OwnerStore, Series, StoredFigure } from "./store.ts";

const SERVED_RATE = `
  SELECT base, quote, rate, as_of, source FROM rates WHERE base = $1 AND quote = $2`;

// A table for a period is served when it begins, as after a fetch.
const NEWEST_BEGUN = `${FIGURES_OF_SERIES}
    AND (f.valid_until IS NULL OR f.as_of <= $5)
  ORDER BY f.date DESC, f.as_of DESC, f.revision DESC LIMIT 1`;

export function ownerStore(engine: Engine): OwnerStore {
  return {
    own: (series, { maxRateJump, headersOf, origin }) =>
      engine.transaction(function* (): Transaction<OwnerChange> {
        const figure = yield* newestFigure(series, origin.at);
        if (figure === undefined) return { decision: "none" };
        const former = yield* servedRate(series);
        const decision = decideOwner(former, figure, maxRateJump);
        if (decision === "serve") yield* serve(figure, former, headersOf, origin);
        if (decision === "hold") yield* hold(figure, origin);
        return { decision, figure, former };
      }, RATES_LOCK),
  };
}

function* newestFigure({ base, quote, source, kind }: Series, now: string) {
  const rows: Row[] = yield statement(NEWEST_BEGUN, base, quote, source, kind, now);
  return rows.map(storedFigureOf)[0];
}

function* servedRate({ base, quote }: Pair): Transaction<SourcedRate | undefined> {
  const rows: Row[] = yield statement(SERVED_RATE, base, quote);
  return rows.map(readSourcedRate)[0];
}

/** Serves a figure as an accepted rate of its pair: it also replaces a held one. */
function* serve(
  figure: StoredFigure,
  former: SourcedRate | undefined,
  headersOf: HeadersOf,
  origin: Origin,
): Transaction<void> {
  const headers = (rate: SourcedRate) => headersOf.rate(rate, origin.at);
  yield* storeRate(figure, figure.publication, headers, origin.at);
  yield* replaceHeld(figure, true);
  const formerSource = former === undefined ? {} : { former_source: former.source };
  const details = { ...eventDetailsOf(figure), ...formerSource };
  yield writeEvent("rate.owned", origin, { details });
}

/** Takes the held rate of a pair out, and sets it aside for one that is accepted or held now. */
function* replaceHeld(by: StoredFigure, isAccepted: boolean): Transaction<void> {
  const [row] = yield statement(TAKE_HELD_RATE, by.base, by.quote, null);
  if (row === undefined) return;
  const held = { held: readSourcedRate(row), heldAt: textOf(row, "held_at") };
  yield* setAside(1, [{ ...held, by, isAccepted }]);
}

function* hold(figure: StoredFigure, origin: Origin): Transaction<void> {
  yield* replaceHeld(figure, false);
  yield statement(holdRates(1), ...heldValues(figure, figure.publication, origin.at));
  yield writeHeld(figure, origin);
}
