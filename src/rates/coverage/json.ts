import { nullable, Timestamp, Type } from "../../platform/shared/json-schema.ts";
import { storedRateJson } from "../served/json.ts";
import { currencyName } from "../served/rules/currency-names.ts";
import { type Pair, pairName } from "../served/rules/symbol.ts";
import type { StoredRate } from "../served/store.ts";
import type { Outlook } from "../sources/outlook.ts";
import type { RateSource } from "../sources/source.ts";
import type { CoveredPair, CoveredSource, Publisher } from "./coverage.ts";

const Name = (example: string) =>
  nullable({
    description: "In English; null for a symbol without a known name",
    examples: [example],
  });

const NextPublication = nullable({
  format: "date-time",
  description:
    "When the publisher's calendar expects the next publication; null for imports and for " +
    "sources that publish continuously",
  examples: ["2026-11-23T15:05:00Z"],
});

export const CoveredPairSchema = Type.Object(
  {
    base: Type.String({ examples: ["EUR"] }),
    quote: Type.String({ examples: ["USD"] }),
    base_name: Name("Euro"),
    quote_name: Name("US Dollar"),
    source: Type.String({
      description: "A key in sources; import or import:NAME if the operator imported it",
      examples: ["ecb"],
    }),
    missed_publication: Type.Boolean({
      description: "Whether a publication is overdue that the pair's rate does not reflect",
      examples: [false],
    }),
    next_publication: NextPublication,
    suspended: Type.Boolean({
      description: "Whether the operator suspended it: reads get 503",
      examples: [false],
    }),
  },
  { $id: "CoveredPair" },
);

export const CoveredSourceSchema = Type.Object(
  {
    key: Type.String({ examples: ["ecb"] }),
    name: Type.String({ examples: ["European Central Bank"] }),
    country: Type.String({ description: "ISO 3166-1 alpha-2, or EU", examples: ["EU"] }),
    group: Type.String({
      description: "Under which heading to list it: its region or, for some, its kind",
      examples: ["Western, Northern and Central Europe"],
    }),
    terms: Type.String({
      description: "The terms on which the figures may be passed on",
      examples: [
        "Free to reuse, the European Central Bank named as the source, the figures unmodified.",
      ],
    }),
    terms_url: nullable({
      format: "uri",
      examples: ["https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html"],
    }),
    schedule: Type.String({ examples: ["16:05 on working days, Europe/Berlin"] }),
    pairs: Type.Integer({
      minimum: 0,
      description: "The number of pairs that it owns",
      examples: [29],
    }),
    missed_publications: Type.Integer({
      minimum: 0,
      maximum: 99,
      description: "Publications that are overdue; 99 means that many or more",
      examples: [0],
    }),
    missed_pairs: Type.Integer({
      minimum: 0,
      description: "Pairs that its newer publications have left out, and that are not suspended",
      examples: [0],
    }),
    next_publication: NextPublication,
    last_success_at: nullable({ ...Timestamp }),
    newest_as_of: nullable({
      ...Timestamp,
      description: "The newest time of its figures; null while it has none",
      examples: ["2026-11-20T15:00:00.000000000Z"],
    }),
    archive_since: nullable({
      format: "date",
      description:
        "The first date of the publisher's archive, whose figures the operator can add to the " +
        "history of the source; null without an archive that Kurs reads",
      examples: ["1999-01-04"],
    }),
    failures: Type.Integer({
      minimum: 0,
      description: "Failed fetches since the last success",
      examples: [0],
    }),
    last_error_at: nullable({
      ...Timestamp,
      description: "When the last fetch failed; null when it succeeded, and before the first one",
      examples: [null],
    }),
  },
  { $id: "CoveredSource" },
);

const SourcesSchema = Type.Object(
  {
    sources: Type.Array(Type.Ref("CoveredSource#"), {
      description: "Those that own a pair or are switched on, in order of precedence",
    }),
  },
  { $id: "Sources" },
);

const PairsSchema = Type.Object(
  {
    pairs: Type.Array(Type.Ref("CoveredPair#"), { description: "In order of base and quote" }),
    next: nullable({
      description: "The last pair of the page, for `after`; null on the last page",
      examples: ["EUR/USD"],
    }),
  },
  { $id: "Pairs" },
);

/** Every schema here that responses refer to by name. */
export const coverageSchemas = [CoveredPairSchema, CoveredSourceSchema, PairsSchema, SourcesSchema];

export function sourcesJson(sources: readonly CoveredSource[]) {
  return { sources: sources.map(coveredSourceJson) };
}

/** What visitors see: no figure, and no time of an observation. */
export function publishersJson(publishers: readonly Publisher[]) {
  const currencies = new Set(publishers.flatMap(symbolsOf)).size;
  return { currencies, publishers: publishers.map(publisherJson) };
}

const symbolsOf = ({ readablePairs }: Publisher): readonly string[] =>
  readablePairs.flatMap(({ base, quote }) => [base, quote]);

function publisherJson(publisher: Publisher) {
  const { source, readablePairs, isUpToDate, lastSuccessAt } = publisher;
  const named = [...new Set(symbolsOf(publisher))].map(
    (symbol) => [symbol, currencyName(symbol, source.key)] as const,
  );
  return {
    ...sourceJson(source),
    up_to_date: isUpToDate,
    fetched: lastSuccessAt !== undefined,
    pairs: readablePairs.map(pairName),
    names: Object.fromEntries(named.filter(([, name]) => name !== undefined)),
  };
}

function coveredSourceJson(covered: CoveredSource) {
  const { source, pairs, missedPublications, missedPairs, nextPublication } = covered;
  return {
    key: source.key,
    ...sourceJson(source),
    pairs,
    missed_publications: missedPublications,
    missed_pairs: missedPairs,
    next_publication: nextPublication ?? null,
    last_success_at: covered.lastSuccessAt ?? null,
    newest_as_of: covered.newestAsOf ?? null,
    archive_since: source.archive?.since ?? null,
    failures: covered.failures,
    last_error_at: covered.lastErrorAt ?? null,
  };
}

function sourceJson({ schedule, rarerPairs, ...source }: RateSource) {
  const rarer = rarerPairs ? `; some pairs ${rarerPairs.schedule.describe()}` : "";
  return {
    name: source.name,
    country: source.country,
    group: source.group,
    terms: source.terms,
    terms_url: source.termsUrl ?? null,
    schedule: schedule.describe() + rarer,
  };
}

export function pairsJson(pairs: readonly CoveredPair[], next: Pair | undefined) {
  return { pairs: pairs.map(coveredPairJson), next: next === undefined ? null : pairName(next) };
}

function coveredPairJson({ base, quote, source, outlook, isSuspended }: CoveredPair) {
  return {
    base,
    quote,
    base_name: currencyName(base, source) ?? null,
    quote_name: currencyName(quote, source) ?? null,
    source,
    missed_publication: outlook.isMissed,
    next_publication: outlook.nextPublication ?? null,
    suspended: isSuspended,
  };
}

export function listedRateJson(rate: StoredRate, { isMissed, nextPublication }: Outlook) {
  return {
    ...storedRateJson(rate),
    base_name: currencyName(rate.base, rate.source) ?? null,
    quote_name: currencyName(rate.quote, rate.source) ?? null,
    missed_publication: isMissed,
    next_publication: nextPublication ?? null,
  };
}
