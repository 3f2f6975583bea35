import { isLess } from "../../platform/shared/decimal.ts";
import { hashContent } from "../../rates/documents.ts";
import { SNAPSHOT_SOURCE } from "../../rates/served/history.ts";
import type { Rejection } from "../../rates/served/rules/rate.ts";
import { isImport, type SourcedRate } from "../../rates/served/rules/update-policy.ts";
import type { DocumentReader, ReadDocument, StatedFigures } from "../provenance/document-reader.ts";
import { type Check, fails, holds, notProven } from "./check.ts";
import { decodeContent, type Evidence, type EvidenceDocument, equation } from "./format.ts";

/** Reads documents as Kurs did when they arrived. */
export interface DocumentUses {
  readonly documents: DocumentReader;
  /** Of a list: the documents of all its statements. */
  readonly listed?: readonly Pick<EvidenceDocument, "sha256">[] | undefined;
  /** The keys of the publishers whose documents this version can read. */
  readonly knownSources: readonly string[];
  readonly readImported: (
    content: Uint8Array,
    stated: { readonly line: number; readonly figure: SourcedRate },
  ) => Promise<{ readonly text: string; readonly statesFigure: boolean }>;
}

/** The documents of a publication, read for all figures that a file states of it. */
export interface Publication {
  /** The checks of the documents' own bytes. */
  readonly bytes: readonly Check[];
  /** The checks of the documents' names. */
  readonly names: readonly Check[];
  readonly documents: readonly ReadDocument[];
  readonly figures: StatedFigures | Rejection;
  /** The figures that they state whatever their names are, and when they were received. */
  readonly unnamed: ReadonlySet<SourcedRate>;
  /** Where they state each figure. */
  readonly positions: ReadonlyMap<SourcedRate, Position>;
}

type Position = ReturnType<DocumentReader["find"]>[number];

/** Reads a publication once for some figures. @param evidence of any of them. */
export function readPublication(
  evidence: Evidence,
  figures: readonly (SourcedRate & { readonly place: number })[],
  { documents: reader, knownSources, listed }: DocumentUses,
): Publication {
  const { publication_source: source } = evidence;
  const documents = evidence.documents.map((document) => {
    const { name, received_at: receivedAt } = document;
    return { name, receivedAt, content: decodeContent(document) ?? new Uint8Array() };
  });
  const bytes = evidence.documents.map((document, index) => {
    const place = listed?.findIndex(({ sha256 }) => sha256 === document.sha256) ?? index;
    return checkBytes(document, place + 1, documents[index]?.content ?? new Uint8Array());
  });
  const names = checkAddresses(evidence, documents, reader);
  const isKnown = source === SNAPSHOT_SOURCE || knownSources.includes(source);
  const isWhole = bytes.every(({ result }) => result === "holds");
  if (!isKnown || !isWhole) {
    const none = { reason: "its documents cannot be read" };
    return { bytes, names, documents, figures: none, unnamed: new Set(), positions: new Map() };
  }
  const found = reader.find(source, documents, figures);
  return {
    ...{ bytes, names, documents },
    figures: reader.figuresOf(source, documents),
    unnamed: reader.statedUnnamed(source, documents, figures),
    positions: new Map(figures.map((one, index) => [one, found[index] ?? "not stated"])),
  };
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

/** Checks that the documents state the figure in its place. */
export async function checkDocuments(
  evidence: Evidence,
  figure: SourcedRate,
  read: Publication,
  uses: DocumentUses,
): Promise<DocumentChecks> {
  const { publication_source: publication, source } = evidence;
  const { bytes, names } = read;
  const only = (check: Check) => ({ checks: [...names, check], series: undefined });
  if (publication !== source && publication !== SNAPSHOT_SOURCE) {
    return only(fails(`a publication of ${publication} has no figure of ${source}`));
  }
  if (bytes.some(({ result }) => result === "fails")) {
    return only(notProven("whether the document states the figure: its bytes are others"));
  }
  if (bytes.some(({ result }) => result === "not proven")) {
    return only(notProven("whether the document states the figure: it is not in the file"));
  }
  if (isImport(source)) return only(await checkImported(evidence, figure, read, uses));
  if (publication !== SNAPSHOT_SOURCE && !uses.knownSources.includes(publication)) {
    const why =
      "this Kurs cannot read its documents: neither it nor its SOURCES_FILE has the source";
    return only(notProven(`what ${publication} states: ${why}`));
  }
  const checked = checkPublished(evidence, figure, read, uses.documents);
  return { ...checked, checks: [...names, ...checked.checks] };
}

/** Checks that the documents are those of one publication of the source, by their addresses. */
function checkAddresses(
  { publication_source: publication, received_at: receivedAt }: Evidence,
  documents: readonly ReadDocument[],
  reader: DocumentReader,
): readonly Check[] {
  if (isImport(publication)) {
    const why = "the operator has imported the file, and no address of a publisher has it";
    return [notProven(`whose figures these are: ${why}`)];
  }
  const fault = reader.checkOrigin(publication, documents, receivedAt);
  if (fault === undefined) return [];
  return [fault.isForeign ? fails(fault.reason) : notProven(fault.reason)];
}

function checkBytes(document: EvidenceDocument, number: number, content: Uint8Array): Check {
  const { name, bytes, sha256, content_base64: encoded } = document;
  const label = `document ${number}, ${name}`;
  if (encoded === null) {
    return notProven(`${label}: its bytes are not in the file, only their SHA-256 ${sha256}`);
  }
  if (Buffer.from(content).toString("base64") !== encoded) {
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
  { place }: Evidence,
  figure: SourcedRate,
  { documents }: Publication,
  { readImported }: DocumentUses,
): Promise<Check> {
  const content = documents[place.document - 1]?.content;
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
  read: Publication,
  reader: DocumentReader,
): DocumentChecks {
  const { publication_source: publication, kind, place } = evidence;
  const { figures } = read;
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
  const found = read.positions.get(figure) ?? "not stated";
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
  checks.push(...checkName(evidence, figure, read, reader, series[place.document - 1] ?? []));
  const [others, unread] = [figures.datesBeside(figure), figures.unreadDates(figure)];
  return { checks, series, others, unread };
}

/** Checks that the name of the document is not of other dates, nor all that tells the figure's. */
function checkName(
  { publication_source: publication, place, documents }: Evidence,
  figure: SourcedRate,
  { unnamed }: Publication,
  reader: DocumentReader,
  series: readonly SourcedRate[],
): readonly Check[] {
  const { name = "" } = documents[place.document - 1] ?? {};
  const ordered = series.toSorted((one, other) => ((one.date ?? "") < (other.date ?? "") ? -1 : 1));
  const ends = [ordered[0] ?? figure, figure, ordered.at(-1) ?? figure];
  const other = ends.find((one) => !reader.isNamedFor(publication, name, one));
  if (other !== undefined) return [fails(`${name} is not the address of figures of ${other.date}`)];
  if (unnamed.has(figure)) return [];
  const by = "only its address, or when it was received, tells that";
  return [notProven(`whose figure of which time it is: ${by}; compare it with the publisher's`)];
}

function checkPosition(place: Evidence["place"], found: Position): Check {
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
