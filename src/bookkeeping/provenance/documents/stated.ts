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
  const { figures, unread } = figuresIn(lists);
  let index: ReturnType<typeof indexFigures> | undefined;
  const indexed = () => (index ??= indexFigures([...figures.values()].flat()));
  const kindOf = ({ source, kind = servedKindOf(source) }: SourcedRate) => kind;
  return {
    get(figure) {
      const key = placeKey(figure, figure.kind ?? servedKindOf(figure.source));
      const stated = figures.get(key);
      return stated?.find(({ rate }) => rate === figure.rate) ?? stated?.[0];
    },
    all: () =>
      [...figures.values()].flatMap(([first, ...others]) =>
        first !== undefined && others.every(({ rate }) => rate === first.rate) ? [first] : [],
      ),
    seriesOf(figure) {
      const series = indexed().bySeries.get(seriesKey(figure, kindOf(figure))) ?? [];
      return documents.map((_, place) => series.filter((one) => (one.place ?? 0) === place));
    },
    datesBeside(figure) {
      const dates = indexed().pairsByDate.get(documentKey(figure, kindOf(figure))) ?? new Map();
      const own = pairName(figure);
      return [...dates].flatMap(([date, pair]) => (pair === own ? [] : [date]));
    },
    unreadDates({ source, base, quote, place: ownPlace = 0 }) {
      const mayBe = (symbol: string | undefined, wanted: string) =>
        symbol === undefined || parseSymbol(symbol) === wanted;
      return unread
        .filter(({ line, ...one }) => one.source === source && (line.place ?? 0) === ownPlace)
        .filter(({ line }) => {
          const stated = "reason" in line ? line.stated : line;
          return mayBe(stated?.base, base) && mayBe(stated?.quote, quote);
        })
        .map(({ line }) => line.date);
    },
  };
}

/** What documents state for each figure's pair, kind and time, without an index of all. */
export function figuresStatedBy(
  parse: ParseDocuments,
  documents: readonly ReadDocument[],
  figures: readonly SourcedRate[],
  servedKindOf: ServedKindOf,
): readonly (readonly SourcedRate[])[] {
  const lists = parse(documents);
  const stated = new Map<string, SourcedRate[]>();
  const keys = figures.map((one) => placeKey(one, one.kind ?? servedKindOf(one.source)));
  for (const key of keys) stated.set(key, []);
  const pairs = new Set(figures.map(pairName));
  for (const list of "reason" in lists ? [] : lists) {
    for (const line of list.lines) {
      if ("reason" in line) continue;
      const [base, quote] = [parseSymbol(line.base), parseSymbol(line.quote)];
      if (base === undefined || quote === undefined || !pairs.has(`${base}/${quote}`)) continue;
      const figure = toFigure(line, list.source);
      if (figure !== undefined) stated.get(placeKey(figure, figure.kind ?? "middle"))?.push(figure);
    }
  }
  return keys.map((key) => stated.get(key) ?? []);
}

/** By their places: of those that contradict each other, an operator may have released any. */
function figuresIn(lists: Lines) {
  const figures: SourcedRate[] = [];
  const unread: { readonly source: string; readonly line: SourceLine }[] = [];
  for (const { source, lines } of lists) {
    for (const line of lines) {
      const figure = toFigure(line, source);
      if (figure === undefined) unread.push({ source, line });
      else figures.push(figure);
    }
  }
  const byPlace = Map.groupBy(figures, (figure) => placeKey(figure, figure.kind ?? "middle"));
  return { figures: byPlace, unread };
}

const SEVERAL = "several";

/** Finds the figures of a series, and the dates of others, in the time of one look. */
function indexFigures(figures: readonly SourcedRate[]) {
  const dated = figures.map((one) => ({ ...one, date: one.date ?? one.asOf.slice(0, 10) }));
  /** Of each document, the only pair of a date, or SEVERAL. */
  const pairsByDate = new Map<string, Map<string, string>>();
  for (const one of dated) {
    const key = documentKey(one, one.kind ?? "middle");
    const pairs = pairsByDate.get(key) ?? new Map<string, string>();
    pairsByDate.set(key, pairs);
    const pair = pairName(one);
    pairs.set(one.date, (pairs.get(one.date) ?? pair) === pair ? pair : SEVERAL);
  }
  const bySeries = Map.groupBy(dated, (one) => seriesKey(one, one.kind ?? "middle"));
  return { bySeries, pairsByDate };
}

const seriesKey = (figure: SourcedRate, kind: FigureKind) =>
  `${figure.source} ${pairName(figure)} ${kind}`;

const documentKey = ({ source, place = 0 }: SourcedRate, kind: FigureKind) =>
  `${source} ${place} ${kind}`;

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
