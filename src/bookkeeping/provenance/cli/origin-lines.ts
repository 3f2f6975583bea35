import { CommandError } from "../../../platform/cli/command.ts";
import { visibleLine } from "../../../platform/shared/text/visible-text.ts";
import type { SourcedRate } from "../../../rates/served/rules/update-policy.ts";
import type { RateSource } from "../../../rates/sources/source.ts";
import type { FigurePosition } from "../document-reader.ts";
import { documentName, isAddress } from "../json.ts";
import type { StoredDocument } from "../observations.ts";
import type { FigureOrigin } from "../trace.ts";
import type { ProvenanceCommandDeps } from "./arguments.ts";
import { type ImportedLine, readImportedLine } from "./imported-file.ts";

/** Labels have one width, so that what they label is in one column. */
export const field = (label: string, text: string) => visibleLine(`${label.padEnd(11)}${text}`);

/** The source of a figure, and its terms. */
export function linesOfSource(
  source: string,
  publisher: RateSource | undefined,
): readonly string[] {
  if (publisher === undefined) return [field("source", source)];
  const { name, country, terms, termsUrl } = publisher;
  const lines = [field("source", `${source}: ${name} (${country})`), field("terms", terms)];
  return termsUrl === undefined ? lines : [...lines, field("", termsUrl)];
}

/** @param line of the imported file, if the command names it. */
export function linesOfOrigin(
  origin: FigureOrigin,
  line: ImportedLine | undefined,
): readonly string[] {
  switch (origin.kind) {
    case "missing":
      return [field("document", "its record is missing; see kurs rates verify")];
    case "imported": {
      const lines = [...linesOfDocument(origin.document), field("line", String(origin.line))];
      if (line !== undefined)
        return [
          ...lines,
          "  the file has this SHA-256, and in this line:",
          `  ${visibleLine(line.text)}`,
          ...(line.statesFigure ? [] : ["the line does not state this figure"]),
        ];
      return [
        ...lines,
        field("", "the file is not stored: pass it to kurs rates trace with --file"),
      ];
    }
    case "published": {
      const { receivedAt, document, position } = origin;
      const lines = isAddress(document.name)
        ? [field("fetched", receivedAt), ...linesOfDocument(document)]
        : [field("read", receivedAt), ...linesOfDocument(document).slice(1)];
      if ("problem" in position) return [...lines, position.problem];
      return [...lines, ...linesOfPosition(position)];
    }
  }
}

export function linesOfDocument({ name, receivedAt, hash, bytes }: StoredDocument): string[] {
  return [
    field("received", receivedAt),
    field("document", documentName(name)),
    field("sha-256", hash ?? "not known: the import did not read its file to the end"),
    ...(bytes === undefined ? [] : [field("size", `${bytes} bytes`)]),
  ];
}

function linesOfPosition({
  line,
  column,
  text,
  offset,
  figure,
  table,
}: FigurePosition): readonly string[] {
  return [
    ...(table === undefined ? [] : [field("table", table)]),
    field("line", `${line}, column ${column}`),
    visibleLine(`  ${text}`),
    `  ${" ".repeat(offset)}${"^".repeat(figure.length)}`,
  ];
}

/** Reads the line of an imported file that should state a figure. @throws {CommandError} */
export async function lineIn(
  path: string,
  figure: SourcedRate,
  origin: FigureOrigin,
  deps: ProvenanceCommandDeps,
): Promise<ImportedLine> {
  if (origin.kind === "imported") {
    const { document, line } = origin;
    return readImportedLine(path, document, { line, figure }, deps);
  }
  if (origin.kind === "missing") {
    throw new CommandError("--file: the record of the document is missing: see kurs rates verify");
  }
  throw new CommandError("--file: this figure was not imported from a file", 2);
}
