import type { Decimal } from "../../platform/shared/decimal.ts";
import type { Instant } from "../../platform/shared/instant.ts";
import {
  bytesOf,
  integerOf,
  optionalIntegerOf,
  optionalTextOf,
  textOf,
} from "../../platform/storage/columns.ts";
import type { Engine, Row } from "../../platform/storage/engine.ts";
import { readPosition, readSourcedRate } from "../../rates/served/update-sql.ts";
import { isImported } from "../../rates/served/update-statements-sql.ts";
import type {
  Observation,
  ObservationReads,
  ServedPair,
  StoredDocument,
  StoredPublication,
  SuspectObservation,
} from "./observations.ts";

const SELECT_OBSERVATIONS = `
  SELECT o.base, o.quote, o.sequence, o.rate, o.as_of, o.source, o.stored_at, o.publication,
    o.place, o.line, d.hash
  FROM observations o
  LEFT JOIN publication_documents d ON d.publication = o.publication AND d.place = o.place`;

const OBSERVATIONS = `${SELECT_OBSERVATIONS}
  WHERE o.base = $1 AND o.quote = $2 AND o.sequence > $3 AND o.as_of >= $4 AND o.as_of <= $5
  ORDER BY o.sequence LIMIT $6`;

const OBSERVATION = `${SELECT_OBSERVATIONS}
  WHERE o.base = $1 AND o.quote = $2 AND o.sequence = $3`;

const LAST_STORED_BY = `${SELECT_OBSERVATIONS}
  WHERE o.base = $1 AND o.quote = $2 AND o.stored_at <= $3 ORDER BY o.sequence DESC LIMIT 1`;

const AFTER_SEQUENCE = `
  SELECT min(stored_at) AS stored_at, count(*) AS observations FROM observations
  WHERE base = $1 AND quote = $2 AND sequence > $3`;

const PRESENT = "SELECT observation, suspended_at FROM rates WHERE base = $1 AND quote = $2";

// One statement, so that a publication that is removed meanwhile is read whole or not at all.
const publicationFrom = (condition: string) => `
  SELECT p.id, p.source, p.received_at, d.place, d.name, d.received_at AS document_received_at,
    d.hash, d.bytes, c.content,
    (SELECT min(e.publication) FROM publication_documents e WHERE e.hash = d.hash) AS first
  FROM publications p
  LEFT JOIN publication_documents d ON d.publication = p.id
  LEFT JOIN documents c ON c.hash = d.hash
  WHERE p.id = (SELECT min(id) FROM publications WHERE id >= $1 ${condition})
  ORDER BY d.place`;

const PUBLICATION_FROM = publicationFrom("");
const PUBLICATION_OF_SOURCE_FROM = publicationFrom("AND source = $2");

// A read of today names the document of its observation, one of the past that of its figure.
const statedIn = (table: string) => `
  SELECT t.publication, t.base, t.quote, t.rate, t.as_of, t.source FROM publication_documents d
  JOIN ${table} t ON t.publication = d.publication AND t.place = d.place WHERE d.hash = $1`;
const WITH_STATED = `WITH stated AS (${statedIn("figures")} UNION ${statedIn("observations")})`;

const USES_OF = `${WITH_STATED}
  SELECT d.publication, count(s.base) AS figures, count(DISTINCT s.base || '/' || s.quote) AS pairs
  FROM (SELECT DISTINCT publication FROM publication_documents WHERE hash = $1) AS d
  LEFT JOIN stated s ON s.publication = d.publication
  GROUP BY d.publication ORDER BY d.publication LIMIT $2`;

const FIGURES_IN = `${WITH_STATED}
  SELECT DISTINCT base, quote, rate, as_of, source FROM stated
  WHERE base = $2 AND quote = $3 ORDER BY as_of, source, rate LIMIT $4`;

const LAST_PUBLICATION = "SELECT coalesce(max(id), 0) AS id FROM publications";

const OBSERVATIONS_OF = `${SELECT_OBSERVATIONS}
  WHERE o.publication = $1 AND d.publication IS NOT NULL
    AND (o.base, o.quote, o.sequence) > ($2, $3, $4)
  ORDER BY o.base, o.quote, o.sequence LIMIT $5`;

const COUNT_OF = `
  SELECT count(*) AS observations FROM observations o
  JOIN publications p ON p.id = o.publication
  JOIN publication_documents d ON d.publication = o.publication AND d.place = o.place
  WHERE o.publication = $1 AND (o.source = p.source OR NOT ${isImported("p.source")})`;

const DIFFERING = `
  SELECT r.base, r.quote, r.rate, r.as_of, r.source, o.rate AS last_rate, o.as_of AS last_as_of,
    o.source AS last_source, r.observation AS sequence, o.sequence AS last_sequence
  FROM rates r
  LEFT JOIN observations o ON o.base = r.base AND o.quote = r.quote AND o.sequence = (
    SELECT max(l.sequence) FROM observations l WHERE l.base = r.base AND l.quote = r.quote
  )
  WHERE (r.base, r.quote) > ($1, $2) AND (o.sequence IS NULL OR o.sequence <> r.observation
    OR o.rate <> r.rate OR o.as_of <> r.as_of OR o.source <> r.source)
  ORDER BY r.base, r.quote LIMIT $3`;

// What is wrong with a time of storing, which is RFC 3339 in UTC to the millisecond.
const TIME_PROBLEM = `
  CASE WHEN stored_at NOT LIKE '____-__-__T__:__:__.___Z'
      OR substr(stored_at, 6, 2) NOT BETWEEN '01' AND '12'
      OR substr(stored_at, 9, 2) NOT BETWEEN '01' AND '31'
      OR substr(stored_at, 12, 2) NOT BETWEEN '00' AND '23'
      OR substr(stored_at, 15, 2) NOT BETWEEN '00' AND '59'
      OR substr(stored_at, 18, 2) NOT BETWEEN '00' AND '59' THEN 'not a time'
    WHEN stored_at > $4 THEN 'in the future' END`;

// The columns of a suspect: of its publication, its document and the observations before it.
const SUSPECTS = `
  SELECT * FROM (
    SELECT o.*, d.hash, p.source AS publisher, d.place AS document,
      ${TIME_PROBLEM} AS time_problem,
      CASE WHEN o.sequence > 1 AND NOT EXISTS (
          SELECT 1 FROM observations e
          WHERE e.base = o.base AND e.quote = o.quote AND e.sequence = o.sequence - 1)
        AND EXISTS (
          SELECT 1 FROM observations e
          WHERE e.base = o.base AND e.quote = o.quote AND e.sequence < o.sequence)
      THEN 1 ELSE 0 END AS follows_gap
    FROM observations o
    LEFT JOIN publications p ON p.id = o.publication
    LEFT JOIN publication_documents d ON d.publication = o.publication AND d.place = o.place
    WHERE (o.base, o.quote, o.sequence) > ($1, $2, $3)
  ) AS s
  WHERE follows_gap = 1 OR document IS NULL
    OR (source <> publisher AND ${isImported("publisher")}) OR time_problem IS NOT NULL
  ORDER BY base, quote, sequence LIMIT $5`;

const UNSERVED = `${SELECT_OBSERVATIONS}
  WHERE (o.base, o.quote) > ($1, $2)
    AND NOT EXISTS (SELECT 1 FROM rates r WHERE r.base = o.base AND r.quote = o.quote)
    AND NOT EXISTS (
      SELECT 1 FROM observations l
      WHERE l.base = o.base AND l.quote = o.quote AND l.sequence > o.sequence)
  ORDER BY o.base, o.quote LIMIT $3`;

// Rate-Source is the first of the headers, and begins with the source's key.
const MISNAMED = `
  SELECT base, quote, rate, as_of, source, headers FROM rates
  WHERE (base, quote) > ($1, $2) AND headers IS NOT NULL
    AND substr(headers, 1, 17 + length(source))
      NOT IN ('["rate-source","' || source || ';', '["rate-source","' || source || '"')
  ORDER BY base, quote LIMIT $3`;

/** Every `as_of` is between these texts. */
const WHOLE_RANGE = { from: "", to: "~" };

export function observationReads(engine: Engine): ObservationReads {
  return {
    async observations({ base, quote }, { after, from, to, limit }) {
      const range = [from ?? WHOLE_RANGE.from, to ?? WHOLE_RANGE.to];
      const rows = await engine.query(OBSERVATIONS, base, quote, after, ...range, limit);
      return rows.map(toObservation);
    },

    async observation({ base, quote }, sequence) {
      return (await engine.query(OBSERVATION, base, quote, sequence)).map(toObservation)[0];
    },

    async lastStoredBy({ base, quote }, at) {
      return (await engine.query(LAST_STORED_BY, base, quote, at)).map(toObservation)[0];
    },

    async after({ base, quote }, sequence) {
      const [row = {}] = await engine.query(AFTER_SEQUENCE, base, quote, sequence);
      return { count: integerOf(row, "observations"), storedAt: optionalTextOf(row, "stored_at") };
    },

    async present({ base, quote }) {
      const [row] = await engine.query(PRESENT, base, quote);
      return (
        row && {
          observation: integerOf(row, "observation"),
          suspendedAt: optionalTextOf(row, "suspended_at"),
        }
      );
    },

    async publicationFrom(id, source) {
      return toPublication(
        source === undefined
          ? await engine.query(PUBLICATION_FROM, id)
          : await engine.query(PUBLICATION_OF_SOURCE_FROM, id, source),
      );
    },

    async usesOf(hash, limit) {
      return (await engine.query(USES_OF, hash, limit)).map((row) => ({
        publication: integerOf(row, "publication"),
        figures: integerOf(row, "figures"),
        pairs: integerOf(row, "pairs"),
      }));
    },

    async figuresIn(hash, { base, quote }, limit) {
      return (await engine.query(FIGURES_IN, hash, base, quote, limit)).map(readSourcedRate);
    },

    async lastPublication() {
      const [row] = await engine.query(LAST_PUBLICATION);
      return integerOf(row ?? {}, "id");
    },

    async observationsOf(publication, { base, quote, sequence }, limit) {
      const values = [publication, base, quote, sequence, limit];
      return (await engine.query(OBSERVATIONS_OF, ...values)).map(toObservation);
    },

    async countOf(publication) {
      const [row] = await engine.query(COUNT_OF, publication);
      return integerOf(row ?? {}, "observations");
    },

    async differing({ base, quote }, limit) {
      return (await engine.query(DIFFERING, base, quote, limit)).map(toServedPair);
    },

    async suspects({ base, quote, sequence }, latest, limit) {
      return (await engine.query(SUSPECTS, base, quote, sequence, latest, limit)).map(toSuspect);
    },

    async unserved({ base, quote }, limit) {
      return (await engine.query(UNSERVED, base, quote, limit)).map(toObservation);
    },

    async misnamed({ base, quote }, limit) {
      const rows = await engine.query(MISNAMED, base, quote, limit);
      return rows.map((row) => ({ rate: readSourcedRate(row), headers: textOf(row, "headers") }));
    },
  };
}

function toObservation(row: Row): Observation {
  return {
    ...readSourcedRate(row),
    ...readPosition(row),
    sequence: integerOf(row, "sequence"),
    storedAt: textOf(row, "stored_at"),
    publication: integerOf(row, "publication"),
    hash: optionalTextOf(row, "hash"),
  };
}

function toSuspect(row: Row): SuspectObservation {
  return {
    observation: toObservation(row),
    publisher: optionalTextOf(row, "publisher"),
    hasDocument: row.document !== null,
    followsGap: integerOf(row, "follows_gap") === 1,
    timeProblem: optionalTextOf(row, "time_problem"),
  };
}

function toPublication(rows: readonly Row[]): StoredPublication | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const id = integerOf(first, "id");
  return {
    id,
    source: textOf(first, "source"),
    receivedAt: textOf(first, "received_at"),
    documents: rows.flatMap((row) => (row.place === null ? [] : toDocument(row, id))),
  };
}

function toDocument(row: Row, publication: number): StoredDocument {
  return {
    name: textOf(row, "name"),
    receivedAt: textOf(row, "document_received_at"),
    hash: optionalTextOf(row, "hash"),
    bytes: optionalIntegerOf(row, "bytes"),
    content: row.content === null ? undefined : bytesOf(row, "content"),
    isFirst: row.first === null || integerOf(row, "first") === publication,
  };
}

function toServedPair(row: Row): ServedPair {
  const served = { ...readSourcedRate(row), sequence: integerOf(row, "sequence") };
  if (row.last_rate === null) return { served, last: undefined };
  const last = {
    ...served,
    rate: textOf(row, "last_rate") as Decimal,
    asOf: textOf(row, "last_as_of") as Instant,
    source: textOf(row, "last_source"),
    sequence: integerOf(row, "last_sequence"),
  };
  return { served, last };
}
