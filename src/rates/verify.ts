import { PAGE_ROWS } from "../shared/page-size.ts";
import type { DocumentReader, ReadDocument, StatedRates } from "./document-reader.ts";
import type {
  Observation,
  ObservationReads,
  ServedPair,
  StoredDocument,
  StoredPublication,
} from "./observations.ts";
import { pairName } from "./rules/symbol.ts";
import { IMPORT_SOURCE, type SourcedRate } from "./rules/update-policy.ts";

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
  | ({ readonly kind: "served" } & ServedPair);

/** What was verified. */
export interface VerifiedCounts {
  /** Figures that their documents state. */
  figures: number;
  documents: number;
  /** Figures from imported files, which are not stored. */
  imported: number;
  /** Figures from before the history. */
  undocumented: number;
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
    documents,
  }: { readonly history: ObservationReads; readonly documents: DocumentReader },
  on: {
    readonly difference: (difference: Difference) => Promise<void>;
    readonly progress: (part: number) => void;
  },
): Promise<VerifiedCounts> {
  const undocumented = await history.countOf(undefined);
  const counts = { figures: 0, documents: 0, imported: 0, undocumented, differences: 0 };
  const report = async (difference: Difference) => {
    counts.differences += 1;
    await on.difference(difference);
  };
  // Later ones are left to the next run, which ends even if sources are fetched all the time.
  const last = await history.lastPublication();
  let publication = await history.publicationFrom(1);
  while (publication !== undefined && publication.id <= last) {
    const { id, source } = publication;
    if (source === IMPORT_SOURCE) counts.imported += await history.countOf(id);
    else {
      const opened = await openDocuments(publication, { documents, counts, report });
      const stated = opened && (await ratesOf(publication, opened, { documents, report }));
      if (stated !== undefined) await verifyFigures(id, stated, { history, counts, report });
    }
    on.progress(id / last);
    publication = await history.publicationFrom(id + 1);
  }
  await verifyServed({ history, report });
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
    if (!("reason" in content)) opened.push({ content, receivedAt: document.receivedAt });
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
  let after = { base: "", quote: "", sequence: 0 };
  for (;;) {
    const page: readonly Observation[] = await history.observationsOf(
      publication,
      after,
      PAGE_ROWS,
    );
    for (const observation of page) {
      const one = stated.get(pairName(observation));
      if (one !== undefined && isSame(one, observation)) counts.figures += 1;
      else await report({ kind: "figure", observation, stated: one });
    }
    if (page.length < PAGE_ROWS) return;
    after = page.at(-1) ?? after;
  }
}

async function verifyServed({ history, report }: Pick<Uses, "history" | "report">): Promise<void> {
  let after = { base: "", quote: "" };
  for (;;) {
    const page: readonly ServedPair[] = await history.differing(after, PAGE_ROWS);
    for (const pair of page) await report({ kind: "served", ...pair });
    if (page.length < PAGE_ROWS) return;
    after = page.at(-1)?.served ?? after;
  }
}

function isSame(one: SourcedRate, other: SourcedRate): boolean {
  return one.rate === other.rate && one.asOf === other.asOf && one.source === other.source;
}
