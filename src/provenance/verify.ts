import { pairName } from "../rates/rules/symbol.ts";
import { isImport, type SourcedRate } from "../rates/rules/update-policy.ts";
import { CLOCK_DIFFERENCE_MAX_MS } from "../shared/clock.ts";
import { timestamp } from "../shared/instant.ts";
import { pagesOf } from "../shared/pages.ts";
import type { DocumentReader, ReadDocument, StatedRates } from "./document-reader.ts";
import type {
  MisnamedRate,
  Observation,
  ObservationReads,
  ServedPair,
  StoredDocument,
  StoredPublication,
  SuspectObservation,
} from "./observations.ts";
import { eventsOf, type HistoryUses } from "./served-at.ts";

/** Something in the store that does not agree with its source. */
export type Difference =
  /** An observation whose document states another figure or time, or none. */
  | {
      readonly kind: "figure";
      readonly observation: Observation;
      readonly stated: SourcedRate | undefined;
    }
  /** A document that is missing, damaged or cannot be parsed. */
  | {
      readonly kind: "document";
      readonly publication: StoredPublication;
      /** Undefined if the publication has none. */
      readonly document: StoredDocument | undefined;
      readonly reason: string;
    }
  /** A served rate that is not its pair's last observation. */
  | ({ readonly kind: "served" } & ServedPair)
  /** An observation whose number, time, publication or pair cannot be right. */
  | { readonly kind: "observation"; readonly observation: Observation; readonly reason: string }
  /** Stored headers of a served rate that name another source. */
  | ({ readonly kind: "headers" } & MisnamedRate);

/** What was verified: each observation is in figures, imported, undocumented or unverified. */
export interface VerifiedCounts {
  /** Figures that their documents state. */
  figures: number;
  documents: number;
  /** Figures from imported files, which are not stored. */
  imported: number;
  /** Figures from before the history. */
  undocumented: number;
  /** Figures that differ, or whose document is missing, damaged or cannot be parsed. */
  unverified: number;
  differences: number;
}

/**
 * Compares every observation with its document, every document with its digest, and every served
 * rate with its pair's history. Memory use is that of the largest publication.
 *
 * @param on `progress` gets the completed part, from 0 to 1.
 */
export async function verifyHistory(
  {
    history,
    audit,
    documents,
    nowMs,
  }: HistoryUses & { readonly documents: DocumentReader; readonly nowMs: () => number },
  on: {
    readonly difference: (difference: Difference) => Promise<void>;
    readonly progress: (part: number) => void;
  },
): Promise<VerifiedCounts> {
  const undocumented = await history.countOf(undefined);
  const counts = {
    figures: 0,
    documents: 0,
    imported: 0,
    undocumented,
    unverified: 0,
    differences: 0,
  };
  const report = async (difference: Difference) => {
    counts.differences += 1;
    await on.difference(difference);
  };
  // Later ones are left to the next run, which ends even if sources are fetched all the time.
  const last = await history.lastPublication();
  let publication = await history.publicationFrom(1);
  while (publication !== undefined && publication.id <= last) {
    const { id, source } = publication;
    if (isImport(source)) counts.imported += await history.countOf(id);
    else {
      const opened = await openDocuments(publication, { documents, counts, report });
      const stated = opened && (await ratesOf(publication, opened, { documents, report }));
      if (stated === undefined) counts.unverified += await history.countOf(id);
      else await verifyFigures(id, stated, { history, counts, report });
    }
    on.progress(id / last);
    publication = await history.publicationFrom(id + 1);
  }
  await verifyServed({ history, report });
  await reportSuspects({ history, counts, report }, nowMs);
  await reportUnserved({ history, audit }, report);
  return counts;
}

interface Uses {
  readonly history: ObservationReads;
  readonly documents: DocumentReader;
  readonly counts: VerifiedCounts;
  readonly report: (difference: Difference) => Promise<void>;
}

/** @returns undefined if one cannot be opened: its publication's figures cannot be verified. */
async function openDocuments(
  publication: StoredPublication,
  { documents: reader, counts, report }: Omit<Uses, "history">,
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

async function ratesOf(
  publication: StoredPublication,
  opened: readonly ReadDocument[],
  { documents, report }: Pick<Uses, "documents" | "report">,
): Promise<StatedRates | undefined> {
  const stated = documents.ratesOf(publication.source, opened);
  if (!("reason" in stated)) return stated;
  const [document] = publication.documents;
  const reason = `it cannot be parsed: ${stated.reason}`;
  await report({ kind: "document", publication, document, reason });
  return undefined;
}

async function verifyFigures(
  publication: number,
  stated: StatedRates,
  { history, counts, report }: Omit<Uses, "documents">,
): Promise<void> {
  const read = (after: Position, limit: number) =>
    history.observationsOf(publication, after, limit);
  for await (const observation of itemsOf(read, (one) => one)) {
    const one = stated.get(pairName(observation));
    if (one !== undefined && isSame(one, observation)) counts.figures += 1;
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
  { history, counts, report }: Omit<Uses, "documents">,
  nowMs: () => number,
): Promise<void> {
  const read = (after: Position, limit: number) => {
    const latest = timestamp(nowMs() + CLOCK_DIFFERENCE_MAX_MS);
    return history.suspects(after, latest, limit);
  };
  for await (const suspect of itemsOf(read, ({ observation }) => observation)) {
    const { observation, timeProblem } = suspect;
    const originProblem = originProblemOf(suspect);
    if (originProblem !== undefined) counts.unverified += 1;
    const reasons = [originProblem];
    if (timeProblem !== undefined) reasons.push(`the time when it was stored is ${timeProblem}`);
    if (suspect.followsGap) reasons.push("the observation before it is missing");
    const reason = reasons.filter((one) => one !== undefined).join("; ");
    await report({ kind: "observation", observation, reason });
  }
}

function originProblemOf({
  observation,
  publisher,
  hasDocument,
}: SuspectObservation): string | undefined {
  if (observation.publication === undefined) return undefined;
  if (publisher === undefined) return "its publication is missing";
  if (!hasDocument) return "its publication has no such document";
  if (!isImport(publisher) || observation.source === publisher) return undefined;
  return `its source is ${observation.source}, and its document an imported file`;
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

function isSame(one: SourcedRate, other: SourcedRate): boolean {
  return one.rate === other.rate && one.asOf === other.asOf && one.source === other.source;
}
