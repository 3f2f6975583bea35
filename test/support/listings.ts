import { createIterationQueue } from "../../src/async/iteration-queue.ts";
import { createCoverage } from "../../src/rates/coverage.ts";
import { createJsonListings } from "../../src/rates/coverage-http.ts";
import { sourceNames, sourcesOf } from "../../src/rates/sources/registry.ts";
import type { Clock } from "../../src/shared/clock.ts";
import type { Store } from "../../src/store.ts";

/** The listings of a store, with every known source and the given ones switched on. */
export function listingsOf(store: Store, clock: Clock, switchedOn: readonly string[] = []) {
  const knownSources = sourcesOf(sourceNames.known, { clock, version: "test" });
  const uses = { store: store.coverage, clock, nextIteration: createIterationQueue() };
  const coverage = createCoverage({ ...uses, switchedOn, knownSources });
  return createJsonListings({ ...uses, coverage });
}
