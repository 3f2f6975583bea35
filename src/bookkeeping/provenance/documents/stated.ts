import { ParseError, type Publisher } from "../../../rates/documents.ts";
import {
  ANY_TIME,
  type FigureKind,
  parseQuotation,
  type Rejection,
  type SourceLine,
} from "../../../rates/served/rules/rate.ts";
import { pairName, parseSymbol } from "../../../rates/served/rules/symbol.ts";
import type { SourcedRate } from "../../../rates/served/rules/update-policy.ts";
import type { BundledPublication } from "../../../rates/sources/source.ts";
import type { ReadDocument, StatedFigures } from "../document-reader.ts";

/** The lines that documents state, each list with the key of its source. */
type Lines = Iterable<{ readonly source: string; readonly lines: readonly SourceLine[] }>;

/** Parses the documents of a publication. */
export type ParseDocuments = (documents: readonly ReadDocument[]) => Lines | Rejection;

/** The parser of a publisher's documents. */
export function publisherParser({ key, parse }: Publisher): ParseDocuments {
  return (documents) => {
    try {
      const responses = documents.map(({ name, content, receivedAt }) => ({
        address: name,
        body: content,
        receivedMs: Date.parse(receivedAt),
      }));
      return [{ source: key, lines: parse(responses) }];
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      return { reason: error.message };
    }
  };
}

/** The parser of the bundled snapshot, which is one document. */
export function snapshotParser(
  parse: (content: Uint8Array) => readonly BundledPublication[],
): ParseDocuments {
  return ([document]) => {
    if (document === undefined) return { reason: "it is missing" };
    try {
      return parse(document.content).map(({ source, publishedOn: date, quotations }) => {
        return { source, lines: quotations.map((quotation) => ({ ...quotation, date })) };
      });
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** Which kind of a source's figures is served: an observation does not name it. */
export type ServedKindOf = (source: string) => FigureKind;

/** The figures that documents state. */
export function statedBy(
  parse: ParseDocuments,
  documents: readonly ReadDocument[],
  servedKindOf: ServedKindOf,
): StatedFigures | Rejection {
  const lists = parse(documents);
  if ("reason" in lists) return lists;
  const figures = figuresIn(lists);
  const datedWhere = (
    { source, kind = servedKindOf(source) }: SourcedRate,
    isMeant: (one: SourcedRate) => boolean,
  ) =>
    figures
      .values()
      .toArray()
      .flat()
      .filter((one) => one.source === source && (one.kind ?? "middle") === kind && isMeant(one))
      .map((one) => ({ ...one, date: one.date ?? one.asOf.slice(0, 10) }));
  return {
    get(figure) {
      const key = placeKey(figure, figure.kind ?? servedKindOf(figure.source));
      const stated = figures.get(key);
      return stated?.find(({ rate }) => rate === figure.rate) ?? stated?.[0];
    },
    seriesOf(figure) {
      const series = datedWhere(figure, (one) => pairName(one) === pairName(figure));
      return documents.map((_, place) => series.filter((one) => (one.place ?? 0) === place));
    },
    datesBeside: (figure) =>
      datedWhere(figure, (one) => pairName(one) !== pairName(figure))
        .filter(({ place = 0 }) => place === (figure.place ?? 0))
        .map(({ date }) => date),
  };
}

/** What documents state for a figure's pair, kind and time, without an index of all. */
export function* figuresStatedBy(
  parse: ParseDocuments,
  documents: readonly ReadDocument[],
  figure: SourcedRate,
  servedKindOf: ServedKindOf,
): Generator<SourcedRate> {
  const lists = parse(documents);
  if ("reason" in lists) return;
  const { base, quote, source } = figure;
  const key = placeKey(figure, figure.kind ?? servedKindOf(source));
  for (const list of lists) {
    for (const line of list.lines) {
      if ("reason" in line || parseSymbol(line.quote) !== quote) continue;
      if (parseSymbol(line.base) !== base) continue;
      const stated = toFigure(line, list.source);
      if (stated !== undefined && placeKey(stated, stated.kind ?? "middle") === key) yield stated;
    }
  }
}

/** By their places: of those that contradict each other, an operator may have released any. */
function figuresIn(lists: Lines): ReadonlyMap<string, readonly SourcedRate[]> {
  const figures: SourcedRate[] = [];
  for (const { source, lines } of lists) {
    for (const line of lines) figures.push(...[toFigure(line, source) ?? []].flat());
  }
  return Map.groupBy(figures, (figure) => placeKey(figure, figure.kind ?? "middle"));
}

function toFigure(line: SourceLine, source: string): SourcedRate | undefined {
  if ("reason" in line) return undefined;
  const rate = parseQuotation(line, ANY_TIME);
  if ("reason" in rate) return undefined;
  const { date, kind, validUntil, place, table } = line;
  return { ...rate, source, date, kind, validUntil, place, table };
}

/** What places a figure in a series: an archive states a pair for many dates. */
const placeKey = (figure: SourcedRate, kind: FigureKind) =>
  `${figure.source} ${pairName(figure)} ${kind} ${figure.asOf}`;
