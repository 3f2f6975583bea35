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

/**
 * The parsers of a publisher: that of its archive, which keeps every figure, and that of what is
 * fetched regularly. Which of them read a publication is not stored.
 */
export function publisherParsers({ key, parse, archive }: Publisher): readonly ParseDocuments[] {
  const parser =
    (parseResponses: Publisher["parse"]): ParseDocuments =>
    (documents) => {
      try {
        const responses = documents.map(({ name, content, receivedAt }) => ({
          address: name,
          body: content,
          receivedMs: Date.parse(receivedAt),
        }));
        return [{ source: key, lines: parseResponses(responses) }];
      } catch (error) {
        if (!(error instanceof ParseError)) throw error;
        return { reason: error.message };
      }
    };
  return archive === undefined ? [parser(parse)] : [parser(archive.parse), parser(parse)];
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

/**
 * The figures that documents state, as any of some parsers reads them. A further parser is tried
 * where those before it do not read a figure as it is stored.
 *
 * @returns the reason of the first parser if none can read the documents.
 */
export function statedBy(
  parsers: readonly ParseDocuments[],
  documents: readonly ReadDocument[],
  servedKindOf: ServedKindOf,
): StatedFigures | Rejection {
  const parsed: ReadonlyMap<string, SourcedRate>[] = [];
  let rejection: Rejection | undefined;
  const untried = [...parsers];
  /** @returns whether there was another parser. */
  const tryNext = (): boolean => {
    const parse = untried.shift();
    if (parse === undefined) return false;
    const lists = parse(documents);
    if ("reason" in lists) rejection ??= lists;
    else parsed.push(figuresIn(lists));
    return true;
  };
  while (parsed.length === 0 && tryNext());
  if (parsed.length === 0) return rejection ?? { reason: "it has no parser" };
  return {
    get(figure) {
      const key = placeKey(figure, figure.kind ?? servedKindOf(figure.source));
      let other: SourcedRate | undefined;
      do {
        for (const figures of parsed) {
          const stated = figures.get(key);
          if (stated?.rate === figure.rate) return stated;
          other ??= stated;
        }
      } while (tryNext());
      return other;
    },
    seriesOf({ source, base, quote, kind = servedKindOf(source) }) {
      const isOfSeries = (one: SourcedRate) =>
        one.base === base && one.quote === quote && one.source === source;
      const series = parsed
        .flatMap((figures) => figures.values().toArray())
        .filter((one) => isOfSeries(one) && (one.kind ?? "middle") === kind)
        .map((one) => ({ ...one, date: one.date ?? one.asOf.slice(0, 10) }));
      return documents.map((_, place) => series.filter((one) => (one.place ?? 0) === place));
    },
  };
}

/** What documents state for a figure's pair, kind and time, without an index of all. */
export function figureStatedBy(
  parse: ParseDocuments,
  documents: readonly ReadDocument[],
  figure: SourcedRate,
  servedKindOf: ServedKindOf,
): SourcedRate | undefined {
  const lists = parse(documents);
  if ("reason" in lists) return undefined;
  const { base, quote, source } = figure;
  const key = placeKey(figure, figure.kind ?? servedKindOf(source));
  for (const list of lists) {
    for (const line of list.lines) {
      if ("reason" in line || parseSymbol(line.quote) !== quote) continue;
      if (parseSymbol(line.base) !== base) continue;
      const stated = toFigure(line, list.source);
      if (stated !== undefined && placeKey(stated, stated.kind ?? "middle") === key) return stated;
    }
  }
  return undefined;
}

/** Of a figure that is stated twice, the first one counts, as when it was stored. */
function figuresIn(lists: Lines): ReadonlyMap<string, SourcedRate> {
  const figures = new Map<string, SourcedRate>();
  for (const { source, lines } of lists) {
    for (const line of lines) {
      const figure = toFigure(line, source);
      if (figure === undefined) continue;
      const key = placeKey(figure, figure.kind ?? "middle");
      if (!figures.has(key)) figures.set(key, figure);
    }
  }
  return figures;
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
