import type { Static } from "typebox";
import type { aboutJson } from "../../../src/platform/pages/about.ts";
import type {
  CoveredPairSchema,
  CoveredSourceSchema,
  publishersJson,
} from "../../../src/rates/coverage/json.ts";
import type { RateSchema } from "../../../src/rates/served/json.ts";
import { ask, askAsOwner, bodyOf, sendAsOwner } from "./request.ts";

export type CoveredSource = Static<typeof CoveredSourceSchema>;

export type CoveredPair = Static<typeof CoveredPairSchema>;

export type About = ReturnType<typeof aboutJson>;

type PublicCoverage = ReturnType<typeof publishersJson>;

export type Publisher = PublicCoverage["publishers"][number];

export type Rate = Static<typeof RateSchema>;

export const listSources = async () =>
  (await askAsOwner<{ readonly sources: readonly CoveredSource[] }>("v1/account/sources")).sources;

/** A page of the pairs that a read can get. */
export interface PairsPage {
  readonly etag: string | undefined;
  readonly pairs: readonly CoveredPair[];
  /** The last pair, `EUR/USD`, if there are more. */
  readonly next: string | null;
}

/**
 * Lists a page of the pairs.
 *
 * @param after the `next` of the page before; undefined for the first page.
 * @param known an earlier response for the same page, which is returned while nothing has changed.
 */
export async function listPairs(
  after: string | undefined,
  known: PairsPage | undefined,
): Promise<PairsPage> {
  const headers: Record<string, string> = known?.etag ? { "if-none-match": known.etag } : {};
  const query = after === undefined ? "" : `?after=${after}`;
  const response = await sendAsOwner(`v1/account/pairs${query}`, { headers });
  if (response.status === 304 && known !== undefined) return known;
  return {
    etag: response.headers.get("etag") ?? undefined,
    ...bodyOf<Pick<PairsPage, "pairs" | "next">>(response),
  };
}

/** How much there is, for visitors. */
export const readAbout = () => ask<About>("about.json");

/** The publishers and their pairs, for visitors. */
export const readPublishers = () => ask<PublicCoverage>("coverage.json");
