import type { Clock } from "../../../platform/shared/clock.ts";
import { handedIn, publishers } from "../publishers/catalogue.ts";
import { requireRates } from "../publishers/publisher.ts";
import type { DocumentSource, RateSource } from "../source.ts";
import { publisherLimits } from "./http-request.ts";
import { createPublisherSource, parseDocuments } from "./publisher-source.ts";

/** The keys of all sources, and of those that are fetched unless the operator chooses others. */
export const sourceNames = {
  known: publishers.map(({ key }) => key),
  /** No server fetches them. */
  handedIn: handedIn.map(({ key }) => key),
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
  }: {
    readonly clock: Clock;
    readonly version: string;
    /** Those of the operator, by the source's key. */
    readonly tokens?: Readonly<Record<string, string>>;
  },
): readonly RateSource[] {
  // Names the client honestly, so that a publisher knows what its server is used for.
  const userAgent = `Kurs/${version} (self-hosted currency-rate service)`;
  return keys.flatMap((key) => {
    const publisher = [...publishers, ...handedIn].find((known) => known.key === key);
    const settings = { userAgent, limits: publisherLimits, clock, token: tokens[key] };
    return publisher === undefined ? [] : [createPublisherSource(publisher, settings)];
  });
}
