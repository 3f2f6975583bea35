import { integerOf, type Tables, textOf } from "../../platform/storage/columns.ts";
import {
  type Engine,
  type Row,
  statement,
  type Transaction,
} from "../../platform/storage/engine.ts";
import type { HistoryStore, Publication } from "./history.ts";
import { removeHistory } from "./retention-sql.ts";

export const historyTables: Tables = {
  documents: { key: "hash", others: "content" },
  publications: { key: "id", others: "source, received_at" },
  publication_documents: {
    key: "publication, place",
    others: "name, received_at, hash, bytes",
  },
  observations: {
    key: "base, quote, sequence",
    others: "rate, as_of, source, stored_at, publication, place, line",
  },
};

// Its id follows the last one: transactions that store rates run one after the other.
const ADD_PUBLICATION = `
  INSERT INTO publications (id, source, received_at)
  SELECT coalesce(max(id), 0) + 1, $1, $2 FROM publications
  RETURNING id`;

const ADD_PLACE = `
  INSERT INTO publication_documents (publication, place, name, received_at, hash, bytes)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const ADD_DOCUMENT = `
  INSERT INTO documents (hash, content) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`;

const LAST_OF_SOURCE = `
  SELECT publication, hash FROM publication_documents
  WHERE publication = (SELECT max(id) FROM publications WHERE source = $1)
  ORDER BY place`;

/**
 * Stores a publication with its documents, or finds the source's last one if its documents are the
 * same: a publisher that ignores conditional requests sends one document many times.
 *
 * @param publication or the id of one that is stored already.
 * @returns its id.
 */
export function* storePublication(publication: Publication | number): Transaction<number> {
  if (typeof publication === "number") return publication;
  const { source, receivedAt, documents, isPolled = false } = publication;
  const last: Row[] = yield statement(LAST_OF_SOURCE, source);
  const isRepeated =
    !isPolled &&
    last.length === documents.length &&
    documents.every(({ stored }, place) => stored?.hash === last[place]?.hash);
  if (isRepeated && last[0] !== undefined) return integerOf(last[0], "publication");

  const [row] = yield statement(ADD_PUBLICATION, source, receivedAt);
  const id = integerOf(row ?? {}, "id");
  for (const [place, { name, receivedAt: sentAt, stored }] of documents.entries()) {
    const { hash = null, bytes = null, compressed } = stored ?? {};
    if (hash !== null && compressed !== undefined) yield statement(ADD_DOCUMENT, hash, compressed);
    yield statement(ADD_PLACE, id, place, name, sentAt, hash, bytes);
  }
  return id;
}

const HASHES = `
  SELECT place, hash FROM publication_documents WHERE publication = $1 AND hash IS NOT NULL`;

/** @returns the hashes of a publication's documents by their places, where they are known. */
export function* readHashes(publication: number): Transaction<ReadonlyMap<number, string>> {
  const rows: Row[] = yield statement(HASHES, publication);
  return new Map(rows.map((row) => [integerOf(row, "place"), textOf(row, "hash")]));
}

const RECORD_DIGEST = `
  UPDATE publication_documents SET hash = $2, bytes = $3 WHERE publication = $1 AND place = 0`;

export function historyStore(engine: Engine): HistoryStore {
  return {
    async recordDigest(publication, { hash, bytes }) {
      await engine.query(RECORD_DIGEST, publication, hash, bytes);
    },

    removeBefore: (before) => removeHistory(engine, before),
  };
}
