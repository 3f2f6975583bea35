import type { Origin } from "../../platform/shared/origin.ts";
import { StoreUnavailable } from "../../platform/shared/store.ts";
import type { HeadersOf } from "../served/headers.ts";
import { type PackContent, SNAPSHOT_SOURCE } from "../served/history.ts";
import { ANY_TIME, parseQuotation } from "../served/rules/rate.ts";
import { pairName } from "../served/rules/symbol.ts";
import type { SourcedRate } from "../served/rules/update-policy.ts";
import type { RateStore } from "../served/store.ts";
import type { BundledPublication, Snapshot } from "../sources/source.ts";

/**
 * Stores the bundled publications in a store without any rate. Where two have the same pair, the
 * earlier one in the list provides what is served.
 *
 * @returns the publications that were stored, or `undefined` when the store had rates already.
 */
export async function seedFromSnapshot(
  store: RateStore,
  uses: {
    readonly origin: Origin;
    readonly headersOf: HeadersOf;
    readonly packContent: PackContent;
  },
  loadSnapshot: () => Snapshot,
): Promise<readonly BundledPublication[] | undefined> {
  if (await store.hasAny()) return undefined;
  const { origin, headersOf, packContent } = uses;
  const { publications, fileName, content } = loadSnapshot();
  const rates = new Map<string, SourcedRate>();
  const further: SourcedRate[] = [];
  for (const { source, publishedOn: date, quotations } of publications) {
    for (const quotation of quotations) {
      // Known to be good: a clock behind their times rejects none.
      const parsed = parseQuotation(quotation, ANY_TIME);
      if ("reason" in parsed) throw new Error(`bundled snapshot, ${source}: ${parsed.reason}`);
      const pair = pairName(parsed);
      const rate = { ...parsed, date, source, place: 0 };
      if (rates.has(pair)) further.push(rate);
      else rates.set(pair, rate);
    }
  }
  const receivedAt = origin.at;
  const document = { name: fileName, receivedAt, stored: await packContent(content) };
  const publication = { source: SNAPSHOT_SOURCE, receivedAt, documents: [document] };
  try {
    const how = { policy: () => "store" as const, headersOf, publication, origin, further };
    if (!(await store.seed([...rates.values()], how))) return undefined;
  } catch (error) {
    // Many nodes that start at once on an empty store wait for each other, some for too long.
    if (!(error instanceof StoreUnavailable) || !(await store.hasAny())) throw error;
    return undefined;
  }
  return publications;
}
