import type { Clock } from "../../../platform/shared/clock.ts";
import { handedIn, publishers } from "../publishers/catalogue.ts";
import { type Publisher, requireRates } from "../publishers/publisher.ts";
import type { DocumentSource, RateSource } from "../source.ts";
import { publisherLimits } from "./http-request.ts";
import { createPublisherSource, parseDocuments } from "./publisher-source.ts";

/** Every publisher that is built in; at last those that no server fetches. */
export const builtIn: readonly Publisher[] = [...publishers, ...handedIn];

/** The keys of the built-in sources, and of those that are fetched unless others are chosen. */
export const sourceNames = {
  known: publishers.map(({ key }) => key),
  onByDefault: publishers.filter(({ onByDefault }) => onByDefault).map(({ key }) => key),
};

/** The sources whose documents an operator hands in. */
export const documentSources: readonly DocumentSource[] = handedIn.map(({ key, name, parse }) => ({
  key,
  name,
  read: (document) => parseDocuments([document], (all) => requireRates(parse(all))),
}));

/** @returns the sources of known keys, in the order given. */
export function sourcesOf(
  keys: readonly string[],
  {
    clock,
    version,
    tokens = {},
    publishers: all = builtIn,
  }: {
    readonly clock: Clock;
    readonly version: string;
    /** Those of the operator, by the source's key. */
    readonly tokens?: Readonly<Record<string, string>>;
    /** Those of the installation; by default the built-in ones. */
    readonly publishers?: readonly Publisher[];
  },
): readonly RateSource[] {
  // Names the client honestly, so that a publisher knows what its server is used for.
  const userAgent = `Kurs/${version} (self-hosted currency-rate service)`;
  return keys.flatMap((key) => {
    const publisher = all.find((known) => known.key === key);
    const settings = { userAgent, limits: publisherLimits, clock, token: tokens[key] };
    return publisher === undefined ? [] : [createPublisherSource(publisher, settings)];
  });
}

/** @returns the keys of the publishers that a server can fetch. */
export const fetchedKeys = (all: readonly Publisher[]): readonly string[] =>
  all.flatMap(({ key, addresses }) => (addresses.length === 0 ? [] : [key]));
