import { CLOCK_DIFFERENCE_MAX_MS } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import type { SeriesReads } from "../../rates/series/store.ts";
import { isImport } from "../../rates/served/rules/update-policy.ts";
import type { Difference, VerifiedCounts } from "./differences.ts";
import type { DocumentReader, ReadDocument, StatedFigures } from "./document-reader.ts";
import type { Observation, ObservationReads, StoredPublication } from "./observations.ts";
import { eventsOf, type HistoryUses } from "./served-at.ts";
import { originProblemOf, reportSuspectFigures, verifyFigures } from "./verify-series.ts";

/** Where differences go, and how much is completed, from 0 to 1. */
interface Reports {
  readonly difference: (difference: Difference) => Promise<void>;
  readonly progress: (part: number) => void;
}

/** What a verification reads. */
interface VerifyUses extends HistoryUses {
  readonly series: SeriesReads;
  readonly documents: DocumentReader;
  readonly nowMs: () => number;
}

/**
 * Compares every observation and every figure of the series with its document, every document with
 * its digest, and every served rate with its pair's history. Memory use is that of the largest
 * publication.
 */
export async function verifyHistory(uses: VerifyUses, on: Reports): Promise<VerifiedCounts> {
  const { history, audit, series, nowMs } = uses;
  const parts = await verifyPublications(uses, on, undefined);
  const { counts, report } = parts;
  await verifyServed({ history, report });
  await reportSuspects({ history, counts, report }, nowMs);
  await reportSuspectFigures({ series, counts, report }, undefined);
  await reportUnserved({ history, audit }, report);
  return counts;
}

/**
 * Compares what the publications of one source brought with their documents.
 *
 * @returns undefined if it has none.
 */
export async function verifySource(
  uses: VerifyUses,
  source: string,
  on: Reports,
): Promise<VerifiedCounts | undefined> {
  const { history, series } = uses;
  if ((await history.publicationFrom(1, source)) === undefined) return undefined;
  const parts = await verifyPublications(uses, on, source);
  await reportSuspectFigures({ ...parts, series }, source);
  return parts.counts;
}

async function verifyPublications(
  { history, series, documents }: VerifyUses,
  on: Reports,
  source: string | undefined,
): Promise<Pick<Uses, "counts" | "report">> {
  const none = { figures: 0, imported: 0, unverified: 0 };
  const counts = { ...none, series: { ...none }, documents: 0, differences: 0 };
  const report = async (difference: Difference) => {
    counts.differences += 1;
    await on.difference(difference);
  };
  const uses = { history, series, documents, counts, report };
  // Later ones are left to the next run, which ends even if sources are fetched all the time.
  const last = await history.lastPublication();
  let publication = await history.publicationFrom(1, source);
  while (publication !== undefined && publication.id <= last) {
    await verifyPublication(publication, uses);
    on.progress(publication.id / last);
    publication = await history.publicationFrom(publication.id + 1, source);
  }
  return { counts, report };
}

async function verifyPublication(publication: StoredPublication, uses: Uses): Promise<void> {
  const { history, series, counts } = uses;
  const { id, source } = publication;
  if (isImport(source)) {
    counts.imported += await history.countOf(id);
    counts.series.imported += await series.countOf(id);
    return;
  }
  const opened = await openDocuments(publication, uses);
  const stated = opened && (await figuresOf(publication, opened, uses));
  if (stated === undefined) {
    counts.unverified += await history.countOf(id);
    counts.series.unverified += await series.countOf(id);
  } else {
    await verifyObservations(id, stated, uses);
    await verifyFigures(id, stated, uses);
  }
}

interface Uses {
  readonly history: ObservationReads;
  readonly series: SeriesReads;
  readonly documents: DocumentReader;
  readonly counts: VerifiedCounts;
  readonly report: (difference: Difference) => Promise<void>;
}

/** @returns undefined if one cannot be opened: its publication's figures cannot be verified. */
async function openDocuments(
  publication: StoredPublication,
  { documents: reader, counts, report }: Pick<Uses, "documents" | "counts" | "report">,
): Promise<readonly ReadDocument[] | undefined> {
  const opened: ReadDocument[] = [];
  for (const document of publication.documents) {
    const content = reader.open(document);
    // The same content may have come several times: it is counted and reported once.
    if (document.isFirst) {
      counts.documents += 1;
      if ("reason" in content) {
        await report({ kind: "document", publication, document, reason: content.reason });
      }
    }
    const { name, receivedAt } = document;
    if (!("reason" in content)) opened.push({ name, content, receivedAt });
  }
  if (publication.documents.length === 0) {
    await report({ kind: "document", publication, document: undefined, reason: "it is missing" });
    return undefined;
  }
  return opened.length === publication.documents.length ? opened : undefined;
}

async function figuresOf(
  publication: StoredPublication,
  opened: readonly ReadDocument[],
  { documents, report }: Pick<Uses, "documents" | "report">,
): Promise<StatedFigures | undefined> {
  const stated = documents.figuresOf(publication.source, opened);
  if (!("reason" in stated)) return stated;
  const [document] = publication.documents;
  const reason = `it cannot be parsed: ${stated.reason}`;
  await report({ kind: "document", publication, document, reason });
  return undefined;
}

async function verifyObservations(
  publication: number,
  stated: StatedFigures,
  { history, counts, report }: Pick<Uses, "history" | "counts" | "report">,
): Promise<void> {
  const read = (after: Position, limit: number) =>
    history.observationsOf(publication, after, limit);
  for await (const observation of itemsOf(read, (one) => one)) {
    const one = stated.get(observation);
    if (one?.rate === observation.rate) counts.figures += 1;
    else {
      counts.unverified += 1;
      await report({ kind: "figure", observation, stated: one });
    }
  }
}

async function verifyServed({ history, report }: Pick<Uses, "history" | "report">): Promise<void> {
  const differing = (after: Position, limit: number) => history.differing(after, limit);
  for await (const pair of itemsOf(differing, ({ served }) => served)) {
    await report({ kind: "served", ...pair });
  }
  const misnamed = (after: Position, limit: number) => history.misnamed(after, limit);
  for await (const one of itemsOf(misnamed, ({ rate }) => ({ ...rate, sequence: 0 }))) {
    await report({ kind: "headers", ...one });
  }
}

async function reportSuspects(
  { history, counts, report }: Pick<Uses, "history" | "counts" | "report">,
  nowMs: () => number,
): Promise<void> {
  const read = (after: Position, limit: number) => {
    const latest = timestamp(nowMs() + CLOCK_DIFFERENCE_MAX_MS);
    return history.suspects(after, latest, limit);
  };
  for await (const suspect of itemsOf(read, ({ observation }) => observation)) {
    const { observation, timeProblem } = suspect;
    const originProblem = originProblemOf(observation, suspect);
    if (originProblem !== undefined) counts.unverified += 1;
    const reasons = [originProblem];
    if (timeProblem !== undefined) reasons.push(`the time when it was stored is ${timeProblem}`);
    if (suspect.followsGap) reasons.push("the observation before it is missing");
    const reason = reasons.filter((one) => one !== undefined).join("; ");
    await report({ kind: "observation", observation, reason });
  }
}

/** Reports the pairs that are not served, and were not deleted after their last observation. */
async function reportUnserved(
  { history, audit }: HistoryUses,
  report: Uses["report"],
): Promise<void> {
  const read = (after: Position, limit: number) => history.unserved(after, limit);
  for await (const observation of itemsOf(read, (one) => one)) {
    if (await wasDeleted(audit, observation)) continue;
    const reason = "its pair is not served, and was not deleted";
    await report({ kind: "observation", observation, reason });
  }
}

/** Where a page of a list ends, which is ordered by pair and sequence. */
interface Position {
  readonly base: string;
  readonly quote: string;
  readonly sequence: number;
}

/** The items of a list, read in pages. */
async function* itemsOf<Item>(
  read: (after: Position, limit: number) => Promise<Item[]>,
  positionOf: (item: Item) => Position,
): AsyncGenerator<Item, void> {
  const start: Position = { base: "", quote: "", sequence: 0 };
  for await (const page of pagesOf(start, read, positionOf)) yield* page;
}

async function wasDeleted(audit: HistoryUses["audit"], last: Observation): Promise<boolean> {
  for await (const events of eventsOf(audit, last)) {
    for (const { action, details } of events) {
      const { observation } = details;
      if (action !== "rate.deleted" || typeof observation !== "number") continue;
      if (observation >= last.sequence) return true;
    }
  }
  return false;
}
