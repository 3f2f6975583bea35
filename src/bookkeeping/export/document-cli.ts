import { type Command, Option } from "commander";
import { CommandError, type CommandIo, type OpenStore } from "../../platform/cli/command.ts";
import { parseDate } from "../../platform/cli/dates.ts";
import { type Column, createJsonPrinter, createTable } from "../../platform/cli/output.ts";
import { wholeNumber } from "../../platform/cli/whole-number.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import { visibleLine } from "../../platform/shared/text/visible-text.ts";
import { SNAPSHOT_SOURCE } from "../../rates/served/history.ts";
import { isImport } from "../../rates/served/rules/update-policy.ts";
import type { DocumentReader } from "../provenance/document-reader.ts";
import type {
  ObservationReads,
  StoredDocument,
  StoredPublication,
} from "../provenance/observations.ts";
import type { DocumentCursor, ExportReads, ListedDocument, SelectedPublications } from "./store.ts";

/** The dependencies of the command that writes publishers' documents. */
export interface DocumentCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{
    readonly exports: ExportReads;
    readonly history: ObservationReads;
  }>;
  readonly documents: DocumentReader;
  /** Writes bytes to stdout, unchanged; resolves when they are written. */
  readonly writeBytes: (bytes: Uint8Array) => Promise<void>;
}

interface DocumentOptions {
  readonly date?: string;
  readonly number?: number;
  readonly list?: boolean;
  readonly json?: boolean;
}

/** Adds `kurs rates document`. */
export function documentCommand(rates: Command, deps: DocumentCommandDeps): void {
  rates
    .command("document")
    .description("write a publisher's stored document, unchanged")
    .argument("<source>", "such as ecb; snapshot for the rates that came with the program")
    .option("--date <date>", "that states the source's figures of this date (default: the newest)")
    .addOption(
      new Option("--number <number>", "which of the publication's documents, from 1").argParser(
        (text) => wholeNumber("--number", text, 1, 1000),
      ),
    )
    .addOption(new Option("--list", "show the stored documents instead").conflicts("number"))
    .option("--json", "with --list: print them as JSON")
    .addHelpText("after", documentExamples)
    .action((source: string, options: DocumentOptions) => {
      const { date: text, list, json } = options;
      const date = text === undefined ? undefined : parseDate("--date", text);
      if (list) return listDocuments(deps, { source, date }, json === true);
      if (json) throw new CommandError("--json is for --list: a document is never changed", 2);
      return writeDocument(deps, { source, date }, options.number);
    });
}

const documentExamples = `
It writes the bytes that the publisher sent, once their SHA-256 is verified. A date is the
publisher's. Where figures of a date came from several publications, an amendment for example, it
writes the newest. Imported files are not stored, only their names, sizes and SHA-256.

Examples:
  $ kurs rates document ecb > eurofxref-daily.xml
  $ kurs rates document ecb --date 2026-03-13
  $ kurs rates document cnb --list
  $ kurs rates document cnb --number 2`;

async function writeDocument(
  { openStore, documents, writeBytes, printError }: DocumentCommandDeps,
  selected: SelectedPublications,
  number: number | undefined,
): Promise<void> {
  await using store = await openStore();
  const newest = await store.exports.newest(selected);
  const publication =
    newest && (await store.history.publicationFrom(newest.publication, undefined));
  // Cleanup may have removed it since.
  if (newest === undefined || publication?.id !== newest.publication) throw noDocument(selected);
  const document = chooseDocument(publication, selected, number);
  if (isImport(publication.source)) throw notKept(document);
  const bytes = documents.open(document);
  if ("reason" in bytes) {
    const what = `the document ${visibleLine(document.name)}, received ${document.receivedAt}`;
    throw new CommandError(`${what}, is damaged: ${bytes.reason}. See kurs rates verify`);
  }
  if (newest.count > 1 && selected.date !== undefined) {
    const of = `figures of ${selected.date} came from ${newest.count} publications`;
    printError(`${of}: this is the newest, --list shows all.`);
  }
  await writeBytes(bytes);
}

/** @throws {CommandError} there is none of this number, or none was chosen among several. */
function chooseDocument(
  { documents, receivedAt }: StoredPublication,
  { source, date }: SelectedPublications,
  number: number | undefined,
): StoredDocument {
  const chosen = documents[(number ?? 1) - 1];
  if (chosen !== undefined && (number !== undefined || documents.length === 1)) return chosen;
  const which = date === undefined ? "newest publication" : `publication of ${date}`;
  const publication = `the ${which} of ${visibleLine(source)}, received ${receivedAt},`;
  if (documents.length === 0) throw new CommandError(`${publication} has no document`);
  const choices = documents.map(({ name }, index) => `--number ${index + 1} (${name})`);
  const has = `has ${documents.length === 1 ? "1 document" : `${documents.length} documents`}`;
  throw new CommandError(`${publication} ${has}: pass ${visibleLine(choices.join(" or "))}`, 2);
}

function noDocument({ source, date }: SelectedPublications): CommandError {
  const name = visibleLine(source);
  if (date !== undefined) {
    const advice = `kurs rates document ${name} --list shows those that are stored`;
    return new CommandError(`no document with figures of ${name} of ${date} is stored: ${advice}`);
  }
  const advice = `kurs rates fetch ${name} fetches one`;
  const bundled = `rates that came with the program are in kurs rates document ${SNAPSHOT_SOURCE}`;
  return new CommandError(`no document of ${name} is stored: ${advice}; ${bundled}`);
}

function notKept({ name, hash }: StoredDocument): CommandError {
  const digest = hash === undefined ? "" : `, SHA-256 ${hash}`;
  const why = "imported files are not stored, so keep them yourself";
  return new CommandError(`${visibleLine(name)}${digest}: ${why}`);
}

async function listDocuments(
  { openStore, print, write, printError }: DocumentCommandDeps,
  selected: SelectedPublications,
  json: boolean,
): Promise<void> {
  await using store = await openStore();
  const printer = createJsonPrinter(print);
  const toRows = createTable(columns);
  let isEmpty = true;
  const pages = pagesOf<ListedDocument, DocumentCursor>(
    { publication: 0, number: 0 },
    (after, limit) => store.exports.documents(selected, after, limit),
    (document) => document,
  );
  for await (const page of pages) {
    if (page.length === 0) continue;
    isEmpty = false;
    if (json) printer.add(page.map(listedDocumentJson));
    else await write(`${toRows(page)}\n`);
  }
  if (json) printer.end();
  else if (isEmpty) printError(`${noDocument(selected).message}.`);
}

const columns: readonly Column<ListedDocument>[] = [
  ["RECEIVED", ({ receivedAt }) => receivedAt],
  ["NUMBER", ({ number }) => number, "right"],
  ["BYTES", ({ bytes }) => bytes ?? "-", "right"],
  ["SHA-256", ({ hash }) => hash ?? "-"],
  ["NAME", ({ name }) => name],
];

/** A document in the list that `kurs rates document --list` prints. */
function listedDocumentJson(document: ListedDocument) {
  const { publication, number, name, receivedAt, bytes, hash } = document;
  return {
    publication,
    number,
    name,
    received_at: receivedAt,
    bytes: bytes ?? null,
    sha256: hash ?? null,
  };
}
