import { chunksOf } from "../../platform/shared/chunks.ts";
import { integerOf, optionalTextOf, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  type SqlValue,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import { byCount, FIGURE_KEY, placeholders, RATES_LOCK } from "./update-statements-sql.ts";

/** Pairs, events or publications that one statement reads: SQLite takes about 1 ms. */
const ROWS_PER_PAGE = 200;

/**
 * Rows that one transaction removes. SQLite's transactions block the event loop: these take about
 * 2 ms.
 */
const ROWS_PER_TRANSACTION = 100;

/** Each takes up to five statements. */
const PUBLICATIONS_PER_TRANSACTION = 20;

// Most pairs have nothing to remove, and are found by their second observation: one search each.
const SECOND_OBSERVATIONS = `
  SELECT r.base, r.quote, CASE WHEN r.observation > 1 THEN (
      SELECT o.stored_at FROM observations o WHERE o.base = r.base AND o.quote = r.quote
      ORDER BY o.sequence LIMIT 1 OFFSET 1
    ) END AS stored_at
  FROM rates r WHERE (r.base, r.quote) > ($1, $2) ORDER BY r.base, r.quote LIMIT $3`;

// Looks at the oldest observations only, so that its time is limited.
const REMOVE_REPLACED = `
  DELETE FROM observations WHERE base = $1 AND quote = $2 AND sequence < (
    SELECT max(sequence) FROM (
      SELECT sequence, stored_at FROM observations WHERE base = $1 AND quote = $2
      ORDER BY sequence LIMIT $4
    ) AS oldest WHERE stored_at <= $3
  ) RETURNING sequence`;

const PAIR_EVENTS = `
  SELECT id, pair, at, action FROM events
  WHERE pair IS NOT NULL AND (pair, at, id) > ($1, $2, $3) ORDER BY pair, at, id LIMIT $4`;

// Those of a pair that was deleted, and what it serves now if it was stored again.
const REMOVE_DELETED = `
  DELETE FROM observations WHERE base = $1 AND quote = $2 AND sequence IN (
    SELECT o.sequence FROM observations o WHERE o.base = $1 AND o.quote = $2 AND o.stored_at < $3
      AND NOT EXISTS (
        SELECT 1 FROM rates r
        WHERE r.base = o.base AND r.quote = o.quote AND r.observation = o.sequence)
    ORDER BY o.sequence LIMIT $4
  ) RETURNING sequence`;

// A suspension that was in force then stays.
const REMOVE_EVENTS = `
  DELETE FROM events WHERE pair IS NOT NULL AND at < $7
    AND (pair, at, id) > ($1, $2, $3) AND (pair, at, id) <= ($4, $5, $6)
    AND (action <> 'rate.suspended' OR EXISTS (
      SELECT 1 FROM events l
      WHERE l.pair = events.pair AND (l.at, l.id) > (events.at, events.id) AND l.at < $7
        AND l.action IN ('rate.suspended', 'rate.resumed', 'rate.deleted')))`;

// The newest figure of a series stays, and that of a held rate, which may be released.
const FIGURES = `
  SELECT ${FIGURE_KEY}, CASE WHEN stored_at < $1
      AND EXISTS (
        SELECT 1 FROM figures l
        WHERE l.base = f.base AND l.quote = f.quote AND l.source = f.source AND l.kind = f.kind
          AND (l.date, l.as_of, l.revision) > (f.date, f.as_of, f.revision))
      AND NOT EXISTS (
        SELECT 1 FROM held_rates h
        WHERE h.base = f.base AND h.quote = f.quote AND h.source = f.source AND h.as_of = f.as_of)
    THEN 1 ELSE 0 END AS is_old
  FROM figures f WHERE (${FIGURE_KEY}) > ($3, $4, $5, $6, $7, $8, $9)
  ORDER BY ${FIGURE_KEY} LIMIT $2`;

const removeFigures = byCount(
  (figures) => `
  WITH old (${FIGURE_KEY}) AS (VALUES ${placeholders(figures, 7)})
  DELETE FROM figures WHERE (${FIGURE_KEY}) IN (
    SELECT base, quote, source, kind, date, as_of, CAST(revision AS bigint) FROM old)`,
);

const PUBLICATIONS = `
  SELECT id, received_at FROM publications WHERE id > $1 ORDER BY id LIMIT $2`;

// The last one of each source stays: by it a document that comes again is recognised.
const UNUSED_PUBLICATIONS = `
  SELECT p.id FROM publications p
  WHERE p.id > $1 AND p.id <= $2 AND p.received_at < $3
    AND NOT EXISTS (SELECT 1 FROM observations o WHERE o.publication = p.id)
    AND NOT EXISTS (SELECT 1 FROM held_rates h WHERE h.publication = p.id)
    AND NOT EXISTS (SELECT 1 FROM contradictions c WHERE c.publication = p.id)
    AND NOT EXISTS (SELECT 1 FROM figures f WHERE f.publication = p.id)
    AND p.id < (SELECT max(l.id) FROM publications l WHERE l.source = p.source)
  ORDER BY p.id LIMIT $4`;

const REMOVE_PLACES = "DELETE FROM publication_documents WHERE publication = $1 RETURNING hash";
const REMOVE_PUBLICATION = "DELETE FROM publications WHERE id = $1";
const REMOVE_DOCUMENT = `
  DELETE FROM documents WHERE hash = $1
    AND NOT EXISTS (SELECT 1 FROM publication_documents WHERE hash = $1)`;

/**
 * Removes what the history of every moment since `before` does not need. Each step is a short
 * transaction; the caller pauses between them, so that other work is not delayed.
 *
 * @param before RFC 3339 in UTC.
 */
export async function* removeHistory(engine: Engine, before: string): AsyncGenerator<void> {
  yield* removeReplaced(engine, before);
  yield* removePairEvents(engine, before);
  yield* removeOldFigures(engine, before);
  yield* removePublications(engine, before);
}

/** Removes the observations that another one of their pair had replaced by then. */
async function* removeReplaced(engine: Engine, before: string): AsyncGenerator<void> {
  let page: Row[];
  let last: readonly [base: string, quote: string] = ["", ""];
  do {
    page = await engine.query(SECOND_OBSERVATIONS, ...last, ROWS_PER_PAGE);
    yield;
    const pairs = page.flatMap((row): (typeof last)[] => {
      last = [textOf(row, "base"), textOf(row, "quote")];
      const storedAt = optionalTextOf(row, "stored_at");
      return storedAt !== undefined && storedAt <= before ? [last] : [];
    });
    let done = 0;
    while (done < pairs.length) {
      const some = pairs.slice(done);
      done += await engine.transaction(() => removeReplacedOf(some, before));
      yield;
    }
  } while (page.length === ROWS_PER_PAGE);
}

/** @returns how many of the pairs have nothing more to remove; the others must wait. */
function* removeReplacedOf(
  pairs: readonly (readonly [base: string, quote: string])[],
  before: string,
): Transaction<number> {
  let removed = 0;
  for (const [index, pair] of pairs.entries()) {
    const limit = ROWS_PER_TRANSACTION - removed;
    if (limit <= 0) return index;
    // The observation after the removed ones is read, too.
    const rows: Row[] = yield statement(REMOVE_REPLACED, ...pair, before, limit + 1);
    if (rows.length === limit) return index;
    removed += 1 + rows.length;
  }
  return pairs.length;
}

/** Removes old events of pairs and, with a deletion, what the pair had served until then. */
async function* removePairEvents(engine: Engine, before: string): AsyncGenerator<void> {
  let page: Row[];
  let last: readonly [pair: string, at: string, id: string] = ["", "", ""];
  do {
    page = await engine.query(PAIR_EVENTS, ...last, ROWS_PER_TRANSACTION);
    yield;
    for (const row of page) {
      const isDeletion = textOf(row, "action") === "rate.deleted";
      const at = textOf(row, "at");
      if (isDeletion && at < before) yield* removeServedUntil(engine, textOf(row, "pair"), at);
    }
    const final = page.at(-1);
    if (final === undefined) return;
    const next = [textOf(final, "pair"), textOf(final, "at"), textOf(final, "id")] as const;
    await engine.query(REMOVE_EVENTS, ...last, ...next, before);
    yield;
    last = next;
  } while (page.length === ROWS_PER_TRANSACTION);
}

async function* removeServedUntil(
  engine: Engine,
  pair: string,
  deletedAt: string,
): AsyncGenerator<void> {
  const [base = "", quote = ""] = pair.split("/");
  let removed: Row[];
  do {
    removed = await engine.query(REMOVE_DELETED, base, quote, deletedAt, ROWS_PER_TRANSACTION);
    yield;
  } while (removed.length === ROWS_PER_TRANSACTION);
}

/** Removes the figures that were stored before a time, with the exceptions above. */
async function* removeOldFigures(engine: Engine, before: string): AsyncGenerator<void> {
  const columns = FIGURE_KEY.split(", ");
  const keyOf = (row: Row) => columns.map((column) => row[column] as SqlValue);
  let last: SqlValue[] = ["", "", "", "", "", "", 0];
  let rows: Row[];
  do {
    // With the lock, no other transaction holds the rate of one of them.
    rows = await engine.transaction(function* () {
      const page: Row[] = yield statement(FIGURES, before, ROWS_PER_PAGE, ...last);
      const old = page.filter((row) => row.is_old === 1);
      for (const some of chunksOf(old, engine.maxRowsPerStatement))
        yield statement(removeFigures(some.length), ...some.flatMap(keyOf));
      return page;
    }, RATES_LOCK);
    yield;
    const final = rows.at(-1);
    if (final !== undefined) last = keyOf(final);
  } while (rows.length === ROWS_PER_PAGE);
}

/** Removes the publications that nothing came from, with the documents that only they had. */
async function* removePublications(engine: Engine, before: string): AsyncGenerator<void> {
  let page: Row[];
  let last = 0;
  do {
    page = await engine.query(PUBLICATIONS, last, ROWS_PER_PAGE);
    yield;
    const final = page.at(-1);
    if (final === undefined) return;
    const next = integerOf(final, "id");
    let removed: number;
    do {
      // With the lock, no other transaction finds the documents stored and refers to them.
      removed = await engine.transaction(
        () => removePublicationsIn(last, next, before),
        RATES_LOCK,
      );
      yield;
    } while (removed === PUBLICATIONS_PER_TRANSACTION);
    last = next;
  } while (page.some((row) => textOf(row, "received_at") < before));
}

/** @returns how many it removed. */
function* removePublicationsIn(after: number, until: number, before: string): Transaction<number> {
  const limit = PUBLICATIONS_PER_TRANSACTION;
  const rows: Row[] = yield statement(UNUSED_PUBLICATIONS, after, until, before, limit);
  for (const row of rows) {
    const id = integerOf(row, "id");
    const places: Row[] = yield statement(REMOVE_PLACES, id);
    yield statement(REMOVE_PUBLICATION, id);
    for (const place of places) {
      const hash = optionalTextOf(place, "hash");
      if (hash !== undefined) yield statement(REMOVE_DOCUMENT, hash);
    }
  }
  return rows.length;
}
