import { visible } from "../../platform/shared/text/visible-text.ts";
import { hashContent } from "../../rates/documents.ts";
import { documentHeader } from "../../rates/served/headers.ts";
import { periodWords } from "../applicable-rates/rules.ts";
import type { DocumentReader } from "../provenance/document-reader.ts";
import { excerptAround } from "./excerpt.ts";
import { decodeContent, type Evidence, equation, serialize } from "./format.ts";

/**
 * A page to print, of an evidence file that is kept beside it. It loads and runs nothing.
 *
 * @param file the name of the evidence file.
 */
export function evidencePage(
  evidence: Evidence,
  file: string,
  documents: Pick<DocumentReader, "linesOf">,
): string {
  const { rule_in_words: words, counted_from: counted, published_for: date, kind } = evidence;
  const period = evidence.preset?.period ?? undefined;
  const day = period === undefined ? counted : `${counted}, ${periodWords[period]}`;
  const title = `${evidence.base}/${evidence.quote} ${evidence.rate} for ${evidence.asked}`;
  const publisher = evidence.publisher?.name ?? evidence.source;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<p>Evidence of an exchange rate</p>
<h1>${escaped(equation(evidence))}</h1>
<p>${escaped(`${publisher}: ${kind} figure for ${date}`)}</p>
</header>
<section>
<h2>Rule</h2>
<p>${escaped(`${sentence(words)}, counted from ${day}`)}</p>
${definitionList(ruleRows(evidence))}
</section>
<section>
<h2>Document</h2>
${definitionList(documentRows(evidence))}
${excerpt(evidence, documents)}
</section>
<section>
<h2>This evidence</h2>
${definitionList(fileRows(evidence, file))}
<p>This page is a summary of the file. <code>kurs rates evidence verify</code> checks the file
without a network; Kurs's document operating/evidence.md says how to do so with OpenSSL alone.</p>
</section>
</body>
</html>
`;
}

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

type Row = readonly [label: string, text: string | null];

function definitionList(rows: readonly Row[]): string {
  const items = rows.map(([label, text]) =>
    text === null ? "" : `<dt>${escaped(label)}</dt><dd>${escaped(text)}</dd>\n`,
  );
  return `<dl>\n${items.join("")}</dl>`;
}

function ruleRows(evidence: Evidence): readonly Row[] {
  const { asked, preset, valid_until: until, accepted_gaps: gaps, revision } = evidence;
  return [
    ["Asked for", asked],
    ["Its name", evidence.rule],
    ["Named by", preset && `${preset.law} (${preset.purpose}; ${preset.name}). No advice.`],
    ["Valid until", until],
    ["Revision", revision === 1 ? null : `${revision}: the publisher has amended the figure`],
    ["Accepted gaps", gaps.length === 0 ? null : `${gaps.join(", ")}: taken as closed`],
    ["Calendar", evidence.is_calendar_known ? null : "not known: gaps count as closed"],
    ["As of", evidence.as_of],
    ["Source", evidence.source],
    ["Terms", evidence.publisher?.terms ?? null],
    ["", evidence.publisher?.terms_url ?? null],
  ];
}

function documentRows(evidence: Evidence): readonly Row[] {
  const { place, documents, received_at: receivedAt, published_for: date } = evidence;
  const document = documents[place.document - 1];
  const others = documents.length - 1;
  const { line, column, table } = place;
  const of = column === null ? "" : `, column ${column}`;
  return [
    ["Table", `${table === undefined ? "" : `${table} of `}${date}`],
    ["Name", document?.name ?? null],
    ["Received", document?.received_at ?? null],
    ["Fetched", document?.received_at === receivedAt ? null : receivedAt],
    ["SHA-256", document?.sha256 ?? null],
    ["Rate-Document", document === undefined ? null : documentHeader(document.sha256)[1]],
    ["Size", `${document?.bytes} bytes`],
    ["Further", others === 0 ? null : `${others} more of the same publication, in the file`],
    ["Line", line === null ? "not known: the document is too large" : `${line}${of}`],
  ];
}

function fileRows(evidence: Evidence, file: string): readonly Row[] {
  const { made, signing_key: key } = evidence;
  const signed = key && `${key.kid}: compare it with the one that the operator has published`;
  return [
    ["File", file],
    ["SHA-256", hashContent(Buffer.from(serialize(evidence)))],
    ["Made", `${made.at} by ${made.by}`],
    ["Signed by", signed ?? "nobody: whoever has the file could have changed it"],
  ];
}

/** The pair's own part of the document, with the figure marked; without the document its text. */
function excerpt(
  { place, documents, publication_source: source, base, quote }: Evidence,
  reader: Pick<DocumentReader, "linesOf">,
): string {
  const { document, line, column, figure, text } = place;
  const stored = documents[document - 1];
  const content = stored && decodeContent(stored);
  if (line === null || content === undefined || column === null || figure === null) {
    return text === null ? "" : `<pre>${escaped(text)}</pre>`;
  }
  const lines = reader.linesOf(source, content);
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const at = start + column - 1;
  const [before, after] = excerptAround(lines.join("\n"), at, figure, [base, quote]);
  return `<pre>${escaped(before)}<mark>${escaped(figure)}</mark>${escaped(after)}</pre>`;
}

const STYLE = `
@page { size: A4; margin: 16mm 18mm; }
:root { color-scheme: light; }
body { max-width: 174mm; margin: 0 auto; padding: 6mm 0; background: #fff; color: #1a1a1a;
  font: 10pt/1.4 system-ui, sans-serif; }
header { border-bottom: 0.6mm solid #1a1a1a; }
header p { margin: 0 0 2mm; color: #444; }
h1 { margin: 0 0 1mm; font-size: 22pt; overflow-wrap: anywhere; }
h2 { margin: 5mm 0 1.5mm; font-size: 11pt; }
section { break-inside: avoid; }
p { margin: 0 0 2mm; }
dl { display: grid; grid-template-columns: 28mm 1fr; gap: 0.8mm 3mm; margin: 0 0 2mm; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: 2mm 0; padding: 2mm 3mm; border: 0.2mm solid #999; font: 7.5pt/1.5 monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
mark { background: #ffe58a; font-weight: bold; print-color-adjust: exact; }
`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text for HTML and XML, also within an attribute; invisible characters are shown. */
function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const NAMESPACE = "urn:oasis:names:specification:ubl:schema:xsd";

/**
 * The figure as a UBL 2.1 document has it: ExchangeRateType of
 * UBL-CommonAggregateComponents-2.1.xsd (OASIS, 4 November 2013), its elements in the order of
 * that schema. "Multiply" is the code in OASIS's UBL-Waybill-2.0-Example-International.xml. It
 * leads from the invoice's currency to the tax's, which a preset names, or from base to quote.
 */
export function taxExchangeRate(evidence: Evidence): string {
  const { base, quote, rate, source, published_for: date, preset } = evidence;
  const isTaxInBase = preset?.base === base;
  const elements = [
    ["SourceCurrencyCode", isTaxInBase ? quote : base],
    ["SourceCurrencyBaseRate", "1"],
    ["TargetCurrencyCode", isTaxInBase ? base : quote],
    ["TargetCurrencyBaseRate", "1"],
    ["ExchangeMarketID", source],
    ["CalculationRate", rate],
    ["MathematicOperatorCode", isTaxInBase ? "Divide" : "Multiply"],
    ["Date", date],
  ] as const;
  const lines = elements.map(([name, text]) => `  <cbc:${name}>${escaped(text)}</cbc:${name}>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<cac:TaxExchangeRate",
    `    xmlns:cac="${NAMESPACE}:CommonAggregateComponents-2"`,
    `    xmlns:cbc="${NAMESPACE}:CommonBasicComponents-2">`,
    ...lines,
    "</cac:TaxExchangeRate>",
    "",
  ].join("\n");
}
