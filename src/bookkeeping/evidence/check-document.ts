import { isUtf8 } from "node:buffer";
import { hashContent } from "../../rates/documents.ts";
import { SNAPSHOT_SOURCE } from "../../rates/served/history.ts";
import { isDateOf } from "../../rates/served/rules/rate.ts";
import { isImport, type SourcedRate } from "../../rates/served/rules/update-policy.ts";
import type { DocumentReader, ReadDocument } from "../provenance/document-reader.ts";
import { type Check, fails, holds, notChecked } from "./check.ts";
import { decodeContent, type Evidence, type EvidenceDocument, equation } from "./format.ts";

/** A line of an imported file, as an import reads it. */
interface ReadLine {
  readonly text: string;
  readonly statesFigure: boolean;
}

/** Reads documents as Kurs did when they arrived. */
export interface DocumentUses {
  readonly documents: DocumentReader;
  /** The keys of the publishers whose documents this version can read. */
  readonly knownSources: readonly string[];
  readonly readImported: (
    content: Uint8Array,
    stated: { readonly line: number; readonly figure: SourcedRate },
  ) => Promise<ReadLine>;
}

interface DocumentChecks {
  readonly checks: readonly Check[];
  /** The publisher's dates of the series in the documents; undefined without them. */
  readonly dates: readonly string[] | undefined;
  /** The dates of other pairs of the source in the document with the figure. */
  readonly others?: readonly string[];
}

/** Checks the bytes of the documents, and that they state the figure in its place. */
export async function checkDocuments(
  evidence: Evidence,
  figure: SourcedRate,
  uses: DocumentUses,
): Promise<DocumentChecks> {
  const { documents, publication_source: publication, source } = evidence;
  const checks = documents.map(checkBytes);
  const only = (check: Check) => ({ checks: [...checks, check], dates: undefined });
  if (publication !== source && publication !== SNAPSHOT_SOURCE) {
    return only(fails(`a publication of ${publication} has no figure of ${source}`));
  }
  if (checks.some(({ result }) => result === "fails")) {
    return only(notChecked("whether the document states the figure: its bytes are others"));
  }
  if (checks.some(({ result }) => result === "not checked")) {
    return only(notChecked("whether the document states the figure: it is not in the file"));
  }
  if (isImport(source)) return only(await checkImported(evidence, figure, uses));
  if (publication !== SNAPSHOT_SOURCE && !uses.knownSources.includes(publication)) {
    const checked = checkLine(evidence, uses.documents);
    const unread = notChecked(`what ${publication} states: this Kurs cannot read its documents`);
    return { checks: [...checks, checked, unread], dates: undefined };
  }
  const read = checkPublished(evidence, figure, uses.documents);
  return { ...read, checks: [...checks, ...read.checks] };
}

function checkBytes(document: EvidenceDocument, index: number): Check {
  const { name, bytes, sha256 } = document;
  const label = `document ${index + 1}, ${name}`;
  const content = decodeContent(document);
  if (content === undefined) {
    return notChecked(`${label}: its bytes are not in the file, only their SHA-256 ${sha256}`);
  }
  if (content.toString("base64") !== document.content_base64) {
    return fails(`${label}: content_base64 is not base64 as Kurs writes it`);
  }
  const hash = hashContent(content);
  if (hash !== sha256) return fails(`${label}: its bytes have the SHA-256 ${hash}, not ${sha256}`);
  if (content.length !== bytes) {
    return fails(`${label}: it has ${content.length} bytes, not ${bytes}`);
  }
  return holds(`${label}: its ${bytes} bytes have the SHA-256 ${sha256}`);
}

/** Checks a line without reading the document's format. */
function checkLine(
  { place, documents, publication_source: source }: Evidence,
  reader: DocumentReader,
): Check {
  const { document, line, column, figure, text } = place;
  const content = decodeContent(documents[document - 1] ?? NO_DOCUMENT);
  if (content === undefined || line === null || column === null) return NO_LINE;
  if (!isUtf8(content)) return notChecked("the line: the encoding of its document is not known");
  const stated = reader.linesOf(source, content)[line - 1] ?? "";
  const isThere = stated.startsWith(figure ?? "", column - 1);
  const excerpt = (text ?? "").replace(/^…|…$/g, "");
  const where = `line ${line}, column ${column} of document ${document}`;
  return isThere && figure && stated.includes(excerpt)
    ? holds(`${where} has ${figure}`)
    : fails(`${where} does not have ${figure} in this text`);
}

const NO_DOCUMENT = {
  name: "",
  received_at: "",
  bytes: 0,
  sha256: "",
  content_base64: null,
} as const;

const NO_LINE = notChecked("the line: the document is too large to find it");

async function checkImported(
  { place, documents, published_for: date }: Evidence,
  figure: SourcedRate,
  { readImported }: DocumentUses,
): Promise<Check> {
  const content = decodeContent(documents[place.document - 1] ?? NO_DOCUMENT);
  const { line } = place;
  if (content === undefined || line === null) {
    return fails("the file names no line of its document");
  }
  const read = await readImported(content, { line, figure });
  if (read.text !== place.text) return fails(`line ${line} of the document has another text`);
  if (!isDateOf(date, figure.asOf)) return fails(`${figure.asOf} is in no time zone on ${date}`);
  const what = `line ${line} of the imported file`;
  return read.statesFigure
    ? holds(`${what} states ${equation(figure)} as of ${figure.asOf}`)
    : fails(`an import does not read ${equation(figure)} as of ${figure.asOf} from ${what}`);
}

function checkPublished(
  evidence: Evidence,
  figure: SourcedRate,
  reader: DocumentReader,
): DocumentChecks {
  const { publication_source: publication, kind, place } = evidence;
  const documents = evidence.documents.map(readDocument);
  const figures = reader.figuresOf(publication, documents);
  if ("reason" in figures) {
    const check = fails(`the parser of ${publication} cannot read the document: ${figures.reason}`);
    return { checks: [check], dates: undefined };
  }
  const stated = figures.get(figure);
  const { date = stated?.asOf.slice(0, 10), validUntil } = stated ?? {};
  const isStated =
    stated?.rate === figure.rate && date === figure.date && validUntil === figure.validUntil;
  const until = figure.validUntil === undefined ? "" : ` until ${figure.validUntil}`;
  const what = `${equation(figure)} (${kind}) for ${figure.date}${until}`;
  if (!isStated) {
    const check = fails(`the parser of ${publication} does not read ${what} from the document`);
    return { checks: [check], dates: undefined };
  }
  const found = reader.find(publication, documents, { ...figure, place: place.document - 1 });
  const checks = [
    holds(`the parser of ${publication} reads ${what} from the document`),
    checkPosition(place, found),
  ];
  const ownDocument = documents.slice(place.document - 1, place.document);
  const own = documents.length > 1 ? reader.figuresOf(publication, ownDocument) : figures;
  const others = "reason" in own ? [] : own.datesBeside(figure);
  return { checks, dates: figures.datesOf(figure), others };
}

function readDocument(document: EvidenceDocument): ReadDocument {
  const { name, received_at: receivedAt } = document;
  return { name, receivedAt, content: decodeContent(document) ?? new Uint8Array() };
}

function checkPosition(place: Evidence["place"], found: ReturnType<DocumentReader["find"]>): Check {
  const { document, line, column, figure, text } = place;
  if (found === "not stated") return fails(`document ${document} does not state the figure`);
  if (found === "not found") {
    const isUnnamed = line === null && column === null && figure === null && text === null;
    return isUnnamed ? NO_LINE : fails(`${NO_LINE.text}, and the file names line ${line}`);
  }
  const where = `line ${found.line}, column ${found.column} of document ${document}`;
  const isThere =
    found.line === line &&
    found.column === column &&
    found.figure === figure &&
    found.text === text;
  if (isThere) return holds(`${where} states it: ${found.figure}`);
  return fails(`${where} states it, and the file names another place or text`);
}
