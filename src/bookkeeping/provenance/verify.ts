import { CLOCK_DIFFERENCE_MAX_MS } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { pagesOf } from "../../platform/shared/pages.ts";
import type { FigurePlace, SeriesReads } from "../../rates/series/store.ts";
import { figureOf } from "../../rates/served/figures.ts";
import { isImport } from "../../rates/served/rules/update-policy.ts";
import type { Difference, VerifiedCounts } from "./differences.ts";
import type { DocumentReader, ReadDocument, StatedFigures } from "./document-reader.ts";
import type { Observation, ObservationCursor, StoredPublication } from "./observations.ts";
import { type HistoryUses, readEvents } from "./served-at.ts";
import { addUnstored, placeKey, type Unstored } from "./unstored.ts";

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

/** A verification that has begun. */
interface Verification extends VerifyUses {
  readonly counts: VerifiedCounts;
  readonly report: (difference: Difference) => Promise<void>;
}

/**
 * Compares every observation and every figure of the series with its document, every document with
 * its digest, and every served rate with its pair's history. Memory use is that of the largest
 * publication.
 */
export async function verifyHistory(uses: VerifyUses, on: Reports): Promise<VerifiedCounts> {
  const verification = begin(uses, on);
  await verifyPublications(verification, on, undefined);
  await reportServed(verification);
  await reportSuspects(verification);
  await reportSuspectFigures(verification, undefined);
  await reportUnserved(verification);
  return verification.counts;
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
  if ((await uses.history.publicationFrom(1, source)) === undefined) return undefined;
  const verification = begin(uses, on);
  await verifyPublications(verification, on, source);
  await reportSuspectFigures(verification, source);
  return verification.counts;
}

function begin(uses: VerifyUses, on: Reports): Verification {
  const none = { figures: 0, imported: 0, unverified: 0 };
  const unstored = new Map<string, Unstored>();
  const counts = { ...none, series: { ...none }, documents: 0, differences: 0, unstored };
  const report = async (difference: Difference) => {
    counts.differences += 1;
    await on.difference(difference);
  };
  return { ...uses, counts, report };
}

async function verifyPublications(
  verification: Verification,
  on: Reports,
  source: string | undefined,
): Promise<void> {
  const { history } = verification;
  // Later ones are left to the next run, which ends even if sources are fetched all the time.
  const last = await history.lastPublication();
  let publication = await history.publicationFrom(1, source);
  while (publication !== undefined && publication.id <= last) {
    await verifyPublication(publication, verification);
    on.progress(publication.id / last);
    publication = await history.publicationFrom(publication.id + 1, source);
  }
}

async function verifyPublication(
  publication: StoredPublication,
  verification: Verification,
): Promise<void> {
  const { history, series, counts } = verification;
  const { id, source } = publication;
  const stated = isImport(source) ? undefined : await readStated(publication, verification);
  if (stated === undefined) {
    const outcome = isImport(source) ? "imported" : "unverified";
    counts[outcome] += await history.countOf(id);
    counts.series[outcome] += await series.countOf(id);
    return;
  }
  await verifyObservations(id, stated, verification);
  const brought = await verifyFigures(id, stated, verification);
  // Publications of the same documents state the same figures: the first one counts them.
  if (publication.documents.some(({ isFirst }) => isFirst)) {
    await addUnstored(series, publication, stated, brought, counts.unstored);
  }
}

/** @returns undefined if the documents of a publication cannot be read. */
async function readStated(
  publication: StoredPublication,
  verification: Verification,
): Promise<StatedFigures | undefined> {
  const opened = await openDocuments(publication, verification);
  if (opened === undefined) return undefined;
  const stated = verification.documents.figuresOf(publication.source, opened);
  if (!("reason" in stated)) return stated;
  const [document] = publication.documents;
  const reason = `it cannot be parsed: ${stated.reason}`;
  await verification.report({ kind: "document", publication, document, reason });
  return undefined;
}

/** @returns undefined if one cannot be opened: its publication's figures cannot be verified. */
async function openDocuments(
  publication: StoredPublication,
  { documents: reader, counts, report }: Verification,
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

async function verifyObservations(
  publication: number,
  stated: StatedFigures,
  { history, counts, report }: Verification,
): Promise<void> {
  const read = (after: ObservationCursor, limit: number) =>
    history.observationsOf(publication, after, limit);
  for await (const observation of itemsOf(START, read, (one) => one)) {
    const one = stated.get(observation);
    if (one?.rate === observation.rate) {
      counts.figures += 1;
      continue;
    }
    counts.unverified += 1;
    await report({ kind: "figure", observation, stated: one });
  }
}

async function verifyFigures(
  publication: number,
  stated: StatedFigures,
  { series, counts, report }: Verification,
): Promise<ReadonlySet<string>> {
  const brought = new Set<string>();
  const read = (after: FigurePlace, limit: number) => series.figuresOf(publication, after, limit);
  for await (const figure of itemsOf(FIRST_FIGURE, read, (one) => one, FIGURES_PER_PAGE)) {
    brought.add(placeKey(figure));
    const one = stated.get(figure);
    const { rate, date, validUntil } = one === undefined ? {} : figureOf(one);
    if (rate === figure.rate && date === figure.date && validUntil === figure.validUntil) {
      counts.series.figures += 1;
      continue;
    }
    counts.series.unverified += 1;
    await report({ kind: "series", figure, stated: one });
  }
  return brought;
}

/** Reports served rates that differ from their history, or whose headers name another source. */
async function reportServed({ history, report }: Verification): Promise<void> {
  const differing = (after: ObservationCursor, limit: number) => history.differing(after, limit);
  for await (const pair of itemsOf(START, differing, ({ served }) => served)) {
    await report({ kind: "served", ...pair });
  }
  const misnamed = (after: ObservationCursor, limit: number) => history.misnamed(after, limit);
  for await (const one of itemsOf(START, misnamed, ({ rate }) => ({ ...rate, sequence: 0 }))) {
    await report({ kind: "headers", ...one });
  }
}

async function reportSuspects({ history, counts, report, nowMs }: Verification): Promise<void> {
  const read = (after: ObservationCursor, limit: number) => {
    const latest = timestamp(nowMs() + CLOCK_DIFFERENCE_MAX_MS);
    return history.suspects(after, latest, limit);
  };
  for await (const suspect of itemsOf(START, read, ({ observation }) => observation)) {
    const { observation, timeProblem } = suspect;
    const originProblem = findOriginProblem(observation.source, suspect);
    if (originProblem !== undefined) counts.unverified += 1;
    const reasons = [originProblem];
    if (timeProblem !== undefined) reasons.push(`the time when it was stored is ${timeProblem}`);
    if (suspect.followsGap) reasons.push("the observation before it is missing");
    const reason = reasons.filter((one) => one !== undefined).join("; ");
    await report({ kind: "observation", observation, reason });
  }
}

/** Reports the figures whose publication or document is missing, of one source or of all. */
async function reportSuspectFigures(
  { series, counts, report }: Verification,
  source: string | undefined,
): Promise<void> {
  const read = (after: FigurePlace, limit: number) => series.suspects(after, limit, source);
  for await (const suspect of itemsOf(FIRST_FIGURE, read, ({ figure }) => figure)) {
    const { figure } = suspect;
    const reason = findOriginProblem(figure.source, suspect);
    if (reason === undefined) continue;
    counts.series.unverified += 1;
    await report({ kind: "origin", figure, reason });
  }
}

/** @returns why the publication of a figure cannot be the one that brought it, or undefined. */
function findOriginProblem(
  source: string,
  found: { readonly publisher: string | undefined; readonly hasDocument: boolean },
): string | undefined {
  const { publisher, hasDocument } = found;
  if (publisher === undefined) return "its publication is missing";
  if (!hasDocument) return "its publication has no such document";
  if (!isImport(publisher) || source === publisher) return undefined;
  return `its source is ${source}, and its document an imported file`;
}

/** Reports the pairs that are not served, and were not deleted after their last observation. */
async function reportUnserved({ history, audit, report }: Verification): Promise<void> {
  const read = (after: ObservationCursor, limit: number) => history.unserved(after, limit);
  for await (const observation of itemsOf(START, read, (one) => one)) {
    if (await wasDeleted(audit, observation)) continue;
    const reason = "its pair is not served, and was not deleted";
    await report({ kind: "observation", observation, reason });
  }
}

const START: ObservationCursor = { base: "", quote: "", sequence: 0 };

const FIRST_FIGURE: FigurePlace = {
  base: "",
  quote: "",
  source: "",
  kind: "",
  date: "",
  asOf: "",
  revision: 0,
};

/**
 * PostgreSQL without statistics, as just after an archive was stored, sorts all figures of a
 * publication for each page: 55,500 of them in pages of 200 took 40 s.
 */
const FIGURES_PER_PAGE = 5000;

/** The items of a list, read in pages. */
async function* itemsOf<Item, Place>(
  start: Place,
  read: (after: Place, limit: number) => Promise<Item[]>,
  placeOf: (item: Item) => Place,
  pageRows?: number,
): AsyncGenerator<Item, void> {
  for await (const page of pagesOf(start, read, placeOf, pageRows)) yield* page;
}

async function wasDeleted(audit: HistoryUses["audit"], last: Observation): Promise<boolean> {
  for await (const events of readEvents(audit, last)) {
    for (const { action, details } of events) {
      const { observation } = details;
      if (action !== "rate.deleted" || typeof observation !== "number") continue;
      if (observation >= last.sequence) return true;
    }
  }
  return false;
}
