import type { Rejection } from "../../rates/served/rules/rate.ts";
import type { RateSource } from "../../rates/sources/source.ts";
import { type AppliedRule, presetJson } from "../applicable-rates/json.ts";
import { ruleWords } from "../applicable-rates/rules.ts";
import type { DocumentReader } from "../provenance/document-reader.ts";
import { documentName, publisherJson } from "../provenance/json.ts";
import type {
  ObservationReads,
  StoredDocument,
  StoredPublication,
} from "../provenance/observations.ts";
import { type FigureOrigin, isContradicted } from "../provenance/trace.ts";
import { type Evidence, type EvidenceDocument, FORMAT, type Unsigned } from "./format.ts";

/** An imported file, which the store does not have, and its line with the figure. */
export interface GivenDocument {
  readonly content: Uint8Array;
  readonly text: string;
}

/** What to put into an evidence file. */
interface Gathered {
  readonly applied: AppliedRule;
  readonly origin: FigureOrigin;
  /** Undefined for an import, and for a source that this version does not know. */
  readonly publisher: RateSource | undefined;
  /** The imported file, where the operator gives it. */
  readonly given?: GivenDocument | undefined;
  readonly made: Evidence["made"];
}

/** The documents of a publication as an evidence file has them. */
interface GatheredDocuments {
  readonly publication: StoredPublication;
  readonly documents: EvidenceDocument[];
}

/**
 * Reads the documents of a publication.
 *
 * @param withDocument whether the file has the documents themselves, and not their SHA-256 alone.
 * @returns the reason if one of them is lost or damaged.
 */
export async function gatherDocuments(
  uses: { readonly history: ObservationReads; readonly documents: DocumentReader },
  id: number,
  withDocument: boolean,
  given?: GivenDocument,
): Promise<GatheredDocuments | Rejection> {
  const found = await uses.history.publicationFrom(id);
  if (found === undefined) return MISSING;
  const documents: EvidenceDocument[] = [];
  for (const [index, stored] of found.documents.entries()) {
    const content =
      given?.content ?? (withDocument ? readStored(uses.documents, stored) : undefined);
    if (content !== undefined && "reason" in content) {
      return { reason: `document ${index + 1} cannot be read: ${content.reason}` };
    }
    const document = documentJson(stored, content);
    if ("reason" in document) return document;
    documents.push(document);
  }
  return { publication: found, documents };
}

/**
 * Joins what is known of a figure.
 *
 * @returns the reason why there is no evidence: its document is not known, lost or another one.
 */
export function gatherEvidence(
  gathered: Gathered,
  read: GatheredDocuments | Rejection,
): Unsigned | Rejection {
  const { figure } = gathered.applied.rate;
  const missing = findMissing(gathered.origin);
  if (missing !== undefined) return missing;
  if ("reason" in read) return read;
  return {
    ...FORMAT,
    ...figureJson(gathered),
    stored_at: figure.storedAt,
    received_at: read.publication.receivedAt,
    place: placeJson(gathered, (figure.place ?? 0) + 1),
    publication_source: read.publication.source,
    documents: read.documents,
    made: gathered.made,
  };
}

const MISSING = { reason: "the record of its document is missing: see kurs rates verify" };

function findMissing(origin: FigureOrigin): Rejection | undefined {
  if (origin.kind === "published" && "problem" in origin.position && isContradicted({ origin })) {
    return { reason: origin.position.problem };
  }
  return origin.kind === "missing" ? MISSING : undefined;
}

/** @returns undefined for an imported file, which is not stored. */
function readStored(
  documents: DocumentReader,
  stored: StoredDocument,
): Uint8Array | Rejection | undefined {
  return stored.content === undefined ? undefined : documents.open(stored);
}

function figureJson({ applied, publisher }: Gathered) {
  const { rate, preset } = applied;
  const { base, quote, kind, source, asOf, date, validUntil = null, revision } = rate.figure;
  return {
    base,
    quote,
    rate: rate.figure.rate,
    kind,
    source,
    as_of: asOf,
    asked: rate.asked,
    rule: rate.rule,
    rule_in_words: ruleWords[rate.rule],
    counted_from: rate.date,
    published_for: date,
    valid_until: validUntil,
    revision,
    accepted_gaps: [...rate.acceptedGaps],
    is_calendar_known: rate.isChecked,
    preset: preset === undefined ? null : presetJson(preset),
    publisher: publisherJson(publisher),
  };
}

function placeJson({ origin, given }: Gathered, document: number): Evidence["place"] {
  const unknown = { document, line: null, column: null, figure: null, text: null };
  if (origin.kind === "imported") {
    return { ...unknown, line: origin.line, text: given?.text ?? null };
  }
  if (origin.kind !== "published" || "problem" in origin.position) return unknown;
  const { line, column, figure, text, table } = origin.position;
  return { document, line, column, figure, text, ...(table === undefined ? {} : { table }) };
}

function documentJson(
  { name, receivedAt, hash, bytes }: StoredDocument,
  content: Uint8Array | undefined,
): EvidenceDocument | Rejection {
  if (hash === undefined || bytes === undefined) {
    const why = "the import did not read its file to the end, so its SHA-256 is not known";
    return { reason: `${why}: import the whole file` };
  }
  return {
    name: documentName(name),
    received_at: receivedAt,
    bytes,
    sha256: hash,
    content_base64: content === undefined ? null : Buffer.from(content).toString("base64"),
  };
}
