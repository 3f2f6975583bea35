import type { Logger } from "pino";
import type { Clock } from "../platform/shared/clock.ts";
import { timestamp } from "../platform/shared/instant.ts";
import { originNow } from "../platform/shared/origin.ts";
import { version } from "../platform/shared/program/version.ts";
import type { Secrets } from "../platform/shared/secrets.ts";
import { createCoverage } from "./coverage/coverage.ts";
import { seedFromSnapshot } from "./import/seed.ts";
import { createListPublicKeys } from "./served/signing-key.ts";
import type { RateSettings } from "./settings.ts";
import { packContent } from "./sources/fetching/content.ts";
import { fetchedKeys, sourcesOf } from "./sources/fetching/registry.ts";
import { loadSnapshot } from "./sources/fetching/snapshot.ts";
import { createHeadersOf } from "./sources/headers.ts";
import { createCountMissed } from "./sources/outlook.ts";
import { createPastRates } from "./sources/past-rates.ts";
import type { RateSource } from "./sources/source.ts";
import type { rateGroups } from "./store.ts";

interface RateDeps {
  readonly store: ReturnType<typeof rateGroups>;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "uuid">;
  readonly log: Logger;
  /** The sources that are switched on, in order of precedence. */
  readonly sources: readonly RateSource[];
  /** Lets other requests run. */
  readonly nextIteration: () => Promise<void>;
}

/** Makes the use cases of rates. */
export function createRates({ signingKey, publishers }: RateSettings, deps: RateDeps) {
  const { store, clock, nextIteration } = deps;
  // A store may have rates of sources that are switched off.
  const knownSources = sourcesOf(fetchedKeys(publishers), { clock, version, publishers });
  const coverage = createCoverage({
    store: { ...store.sources, ...store.coverage },
    clock,
    knownSources,
    nextIteration,
    switchedOn: deps.sources.map(({ key }) => key),
  });
  return {
    clock,
    coverage,
    /** Computes the headers of the rates that are stored. */
    headersOf: createHeadersOf(knownSources, () => signingKey),
    countMissed: createCountMissed(knownSources),
    pastRates: createPastRates(knownSources, { clock, signingKey }),
    listPublicKeys: createListPublicKeys(store, signingKey),
    /** What visitors may know about rates. */
    async readNumbers() {
      const owners = (await coverage.sources()).filter(({ pairs }) => pairs > 0);
      return {
        pairs: await coverage.countPairs(),
        publishers: owners.length,
        publishersUpToDate: owners.filter(({ isUpToDate }) => isUpToDate).length,
        publishersFailing: owners.filter(({ failures }) => failures > 0).length,
        lastSuccessAt: owners
          .flatMap(({ lastSuccessAt }) => lastSuccessAt ?? [])
          .toSorted()
          .at(-1),
      };
    },
  };
}

export type Rates = ReturnType<typeof createRates>;

/**
 * Adds the headers that stored rates lack, and seeds a store without rates.
 *
 * @returns what is served until rates are fetched.
 */
export async function prepareRates(
  settings: RateSettings,
  { headersOf }: Rates,
  deps: RateDeps,
): Promise<string> {
  const { store, log } = deps;
  const origin = originNow({ kind: "service" }, deps);
  await prepareHeaders(settings, headersOf, deps);
  const uses = { origin, headersOf, packContent };
  const snapshot = await seedFromSnapshot(store.rates, uses, loadSnapshot);
  if (snapshot === undefined) return "the stored rates";
  const dates = snapshot.map(({ source, publishedOn }) => `${source} of ${publishedOn}`);
  log.warn({ snapshot: dates }, "serving the bundled snapshot until newer rates are stored");
  const newest = snapshot
    .map(({ publishedOn }) => publishedOn)
    .toSorted()
    .at(-1);
  return `the snapshot of ${newest}`;
}

/** Adds the headers that stored rates lack, and the key that signs them. */
async function prepareHeaders(
  { signingKey }: RateSettings,
  headersOf: Rates["headersOf"],
  { store: { rates, signingKeys }, clock, log, nextIteration }: RateDeps,
): Promise<void> {
  const now = timestamp(clock.nowMs());
  for await (const _ of rates.addDocuments()) await nextIteration();
  if (signingKey !== undefined) {
    await signingKeys.add(signingKey, now);
    const signed = await rates.renewHeaders("without a signature", headersOf, now);
    log.info({ key: signingKey.id, signed }, "rates are signed");
    return;
  }
  await rates.renewHeaders("without headers", headersOf, now);
  if ((await signingKeys.listInUse()).length > 0) {
    log.warn("stored rates are signed, but new ones are not: SIGNING_KEY_FILE is not set");
  }
}
