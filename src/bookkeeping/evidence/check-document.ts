import { DAY_MS } from "../../platform/shared/clock.ts";
import { isLess } from "../../platform/shared/decimal.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { hashContent } from "../../rates/documents.ts";
import { SNAPSHOT_SOURCE } from "../../rates/served/history.ts";
import { isImport, type SourcedRate } from "../../rates/served/rules/update-policy.ts";
import type { DocumentReader, ReadDocument, StatedFigures } from "../provenance/document-reader.ts";
import { type Check, fails, holds, notProven } from "./check.ts";
import { decodeContent, type Evidence, type EvidenceDocument, equation } from "./format.ts";

/** Reads documents as Kurs did when they arrived. */
export interface DocumentUses {
  readonly documents: DocumentReader;
  /** The keys of the publishers whose documents this version can read. */
  readonly knownSources: readonly string[];
  readonly readImported: (
    content: Uint8Array,
    stated: { readonly line: number; readonly figure: SourcedRate },
  ) => Promise<{ readonly text: string; readonly statesFigure: boolean }>;
}

interface DocumentChecks {
  readonly checks: readonly Check[];
  /** The figures of the series that each document states; undefined without the documents. */
  readonly series: ReturnType<StatedFigures["seriesOf"]> | undefined;
  /** The dates of other pairs of the source in the document with the figure. */
  readonly others?: readonly string[];
  /** The dates of lines in that document that cannot be read. */
  readonly unread?: ReturnType<StatedFigures["unreadDates"]>;
}

/** Checks the bytes of the documents, and that they state the figure in its place. */
export async function checkDocuments(
  evidence: Evidence,
  figure: SourcedRate,
  uses: DocumentUses,
): Promise<DocumentChecks> {
  const { documents, publication_source: publication, source } = evidence;
  const bytes = documents.map(checkBytes);
  const checks = [...bytes, ...checkAddresses(evidence, uses.documents)];
  const only = (check: Check) => ({ checks: [...checks, check], series: undefined });
  if (publication !== source && publication !== SNAPSHOT_SOURCE) {
    return only(fails(`a publication of ${publication} has no figure of ${source}`));
  }
  if (bytes.some(({ result }) => result === "fails")) {
    return only(notProven("whether the document states the figure: its bytes are others"));
  }
  if (bytes.some(({ result }) => result === "not proven")) {
    return only(notProven("whether the document states the figure: it is not in the file"));
  }
  if (isImport(source)) return only(await checkImported(evidence, figure, uses));
  if (publication !== SNAPSHOT_SOURCE && !uses.knownSources.includes(publication)) {
    return only(notProven(`what ${publication} states: this Kurs cannot read its documents`));
  }
  const read = checkPublished(evidence, figure, uses.documents);
  return { ...read, checks: [...checks, ...read.checks] };
}

/** Checks that the documents are those of one publication of the source, by their addresses. */
function checkAddresses(evidence: Evidence, reader: DocumentReader): readonly Check[] {
  const { documents, publication_source: publication, received_at: receivedAt } = evidence;
  if (isImport(publication)) {
    const why = "the operator has imported the file, and no address of a publisher has it";
    return [notProven(`whose figures these are: ${why}`)];
  }
  const fault = reader.checkOrigin(publication, documents.map(readDocument), receivedAt);
  if (fault === undefined) return [];
  return [fault.isForeign ? fails(fault.reason) : notProven(fault.reason)];
}

function checkBytes(document: EvidenceDocument, index: number): Check {
  const { name, bytes, sha256 } = document;
  const label = `document ${index + 1}, ${name}`;
  const content = decodeContent(document);
  if (content === undefined) {
    return notProven(`${label}: its bytes are not in the file, only their SHA-256 ${sha256}`);
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

const TOO_LARGE = "the document is too large to find the line";

async function checkImported(
  { place, documents }: Evidence,
  figure: SourcedRate,
  { readImported }: DocumentUses,
): Promise<Check> {
  const document = documents[place.document - 1];
  const content = document && decodeContent(document);
  const { line } = place;
  if (content === undefined || line === null) return fails("it names no line of its document");
  const read = await readImported(content, { line, figure });
  if (read.text !== place.text) return fails(`line ${line} of the document has another text`);
  const what = `line ${line} of the imported file`;
  const stated = `${equation(figure)} for ${figure.date} as of ${figure.asOf}`;
  return read.statesFigure
    ? holds(`${what} states ${stated}`)
    : fails(`an import does not read ${stated} from ${what}`);
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
    return { checks: [check], series: undefined };
  }
  const stated = figures.get(figure);
  const { date = stated?.asOf.slice(0, 10), validUntil } = stated ?? {};
  const isStated =
    stated?.rate === figure.rate && date === figure.date && validUntil === figure.validUntil;
  const until = figure.validUntil === undefined ? "" : ` until ${figure.validUntil}`;
  const what = `${equation(figure)} (${kind}) for ${figure.date}${until}`;
  if (!isStated) {
    const check = fails(`the parser of ${publication} does not read ${what} from the document`);
    return { checks: [check], series: undefined };
  }
  const placed = { ...figure, place: place.document - 1 };
  const [found = "not stated"] = reader.find(publication, documents, [placed]);
  const checks = [
    holds(`the parser of ${publication} reads ${what} from the document`),
    checkPosition(place, found),
  ];
  const series = figures.seriesOf(figure);
  const other = series.flat().find(({ asOf, rate }) => {
    return asOf === figure.asOf && (isLess(rate, figure.rate) || isLess(figure.rate, rate));
  });
  if (other !== undefined) {
    checks.push(notProven(`which is right: the document states ${equation(other)} for it, too`));
  }
  checks.push(...checkName(evidence, figure, series[place.document - 1] ?? [], reader));
  const [others, unread] = [figures.datesBeside(placed), figures.unreadDates(placed)];
  return { checks, series, others, unread };
}

/** How long after a document's time another time is tried. */
const TRIED_MS = 100 * DAY_MS;

/** Checks that the name of the document is not of other dates, nor all that tells the figure's. */
function checkName(
  { publication_source: publication, place, documents }: Evidence,
  figure: SourcedRate,
  series: readonly SourcedRate[],
  reader: DocumentReader,
): readonly Check[] {
  const { name = "" } = documents[place.document - 1] ?? {};
  const ordered = series.toSorted((one, other) => ((one.date ?? "") < (other.date ?? "") ? -1 : 1));
  const ends = [ordered[0] ?? figure, figure, ordered.at(-1) ?? figure];
  const other = ends.find((one) => !reader.isNamedFor(publication, name, one));
  if (other !== undefined) return [fails(`${name} is not the address of figures of ${other.date}`)];
  const unnamed = documents.map((one) => {
    const receivedAt = timestamp(Date.parse(one.received_at) + TRIED_MS);
    return { ...readDocument(one), name: "", receivedAt };
  });
  const stated = reader.figuresOf(publication, unnamed);
  if (!("reason" in stated) && stated.get(figure)?.rate === figure.rate) return [];
  const by = "only its address, or when it was received, tells that";
  return [notProven(`whose figure of which time it is: ${by}; compare it with the publisher's`)];
}

function readDocument(document: EvidenceDocument): ReadDocument {
  const { name, received_at: receivedAt } = document;
  return { name, receivedAt, content: decodeContent(document) ?? new Uint8Array() };
}

function checkPosition(
  place: Evidence["place"],
  found: ReturnType<DocumentReader["find"]>[number],
): Check {
  const { document, line, column, figure, text, table } = place;
  if (found === "not stated") return fails(`document ${document} does not state the figure`);
  if (found === "not found") {
    const isUnnamed = line === null && column === null && figure === null && text === null;
    return isUnnamed
      ? holds(`it names no line: ${TOO_LARGE}`)
      : fails(`${TOO_LARGE}, and the file names line ${line}`);
  }
  const where = `line ${found.line}, column ${found.column} of document ${document}`;
  const isThere =
    found.line === line &&
    found.column === column &&
    found.figure === figure &&
    found.text === text &&
    (table === undefined || table === found.table);
  const ofTable = found.table === undefined ? "" : `, in the table ${found.table}`;
  if (isThere) return holds(`${where} states it: ${found.figure}${ofTable}`);
  return fails(`${where} states it, and the file names another place or text`);
}
