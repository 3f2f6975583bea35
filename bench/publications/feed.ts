import { seededRandom } from "../../harness/seeded-random.ts";
import type { Store } from "../../src/app/store.ts";
import type { Decimal } from "../../src/platform/shared/decimal.ts";
import { timestamp } from "../../src/platform/shared/instant.ts";
import { createUpdatePolicy } from "../../src/rates/served/rules/update-policy.ts";
import { packContent } from "../../src/rates/sources/fetching/content.ts";
import { sourcesOf } from "../../src/rates/sources/fetching/registry.ts";
import { createHeadersOf } from "../../src/rates/sources/headers.ts";
import { publishers } from "../../src/rates/sources/publishers/catalogue.ts";
import { requestsOf } from "../../src/rates/sources/publishers/publisher.ts";
import { createRefreshSource } from "../../src/rates/sources/refresh.ts";
import type { RateSource } from "../../src/rates/sources/source.ts";

/** The bodies of a publisher's addresses at a time. */
export type BodiesAt = (nowMs: number) => readonly string[];

/** Between a publication and its fetch. */
const DELAY_MS = 120_000;

/** Fetches made-up publications as a server does, by a clock that jumps from one to the next. */
export function createFeed(store: Store, keys: readonly string[]) {
  let nowMs = 0;
  let ids = 0;
  const clock = { nowMs: () => nowMs };
  const sources = sourcesOf(keys, { clock, version: "bench" });
  const random = seededRandom(1);
  const refresh = createRefreshSource({
    store,
    clock,
    origin: () => ({
      actor: { kind: "service" },
      at: timestamp(nowMs),
      newId: () => `01a1fc7c-4ab2-7000-8000-${String(++ids).padStart(12, "0")}`,
    }),
    policy: createUpdatePolicy({ rateSources: keys, maxRateJump: "1000000" as Decimal }),
    headersOf: createHeadersOf(sources),
    packContent,
    random,
  });
  return {
    sources,
    /** Fetches one publication of a source. @returns how many rates it stored. */
    async fetchAt(source: RateSource, atMs: number, bodiesAt: BodiesAt): Promise<number> {
      nowMs = atMs + DELAY_MS;
      const { signal } = new AbortController();
      const played = { ...source, fetch: async () => fetchedOf(source.key, nowMs, bodiesAt) };
      const report = await refresh(played, { signal, onlyWhenDue: false });
      if (report?.error !== undefined) throw new Error(`${source.key}: ${report.error}`);
      return report?.stored ?? 0;
    },
  };
}

function fetchedOf(key: string, receivedMs: number, bodiesAt: BodiesAt) {
  const publisher = publishers.find((known) => known.key === key);
  if (publisher === undefined) throw new Error(`no publisher ${key}`);
  const requests = requestsOf(publisher, receivedMs, "");
  const documents = bodiesAt(receivedMs).map((text, index) => ({
    address: requests[index]?.address ?? "",
    body: Buffer.from(text),
    receivedMs,
  }));
  return { lines: publisher.parse(documents), documents, validators: undefined };
}
