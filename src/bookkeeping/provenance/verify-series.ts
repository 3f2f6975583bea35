import { pagesOf } from "../../platform/shared/pages.ts";
import type { FigurePlace, SeriesReads, StoredFigure } from "../../rates/series/store.ts";
import { figureOf } from "../../rates/served/figures.ts";
import { isImport, type SourcedRate } from "../../rates/served/rules/update-policy.ts";
import type { Difference, VerifiedCounts } from "./differences.ts";
import type { StatedFigures } from "./document-reader.ts";

interface Uses {
  readonly series: SeriesReads;
  readonly counts: VerifiedCounts;
  readonly report: (difference: Difference) => Promise<void>;
}

/** Compares the figures that a publication brought with what its documents state. */
export async function verifyFigures(
  publication: number,
  stated: StatedFigures,
  { series, counts, report }: Uses,
): Promise<void> {
  const read = (after: FigurePlace, limit: number) => series.figuresOf(publication, after, limit);
  for await (const page of pagesOf(START, read, (figure) => figure, FIGURES_PER_PAGE)) {
    for (const figure of page) {
      const one = stated.get(figure);
      if (one !== undefined && isSame(one, figure)) counts.series.figures += 1;
      else {
        counts.series.unverified += 1;
        await report({ kind: "series", figure, stated: one });
      }
    }
  }
}

/** Reports the figures whose publication or document is missing, of one source or of all. */
export async function reportSuspectFigures(
  { series, counts, report }: Uses,
  source: string | undefined,
): Promise<void> {
  const read = (after: FigurePlace, limit: number) => series.suspects(after, limit, source);
  for await (const page of pagesOf(START, read, ({ figure }) => figure)) {
    for (const suspect of page) {
      const { figure } = suspect;
      const reason = originProblemOf(figure, suspect);
      if (reason === undefined) continue;
      counts.series.unverified += 1;
      await report({ kind: "origin", figure, reason });
    }
  }
}

/** @returns why the publication of a figure cannot be the one that brought it, or undefined. */
export function originProblemOf(
  figure: { readonly source: string },
  found: { readonly publisher: string | undefined; readonly hasDocument: boolean },
): string | undefined {
  const { publisher, hasDocument } = found;
  if (publisher === undefined) return "its publication is missing";
  if (!hasDocument) return "its publication has no such document";
  if (!isImport(publisher) || figure.source === publisher) return undefined;
  return `its source is ${figure.source}, and its document an imported file`;
}

/**
 * PostgreSQL without statistics, as just after an archive was stored, sorts all figures of a
 * publication for each page: 55,500 of them in pages of 200 took 40 s.
 */
const FIGURES_PER_PAGE = 5000;

/** Before every figure. */
const START: FigurePlace = {
  ...{ base: "", quote: "", source: "", kind: "", date: "", asOf: "", revision: 0 },
};

function isSame(stated: SourcedRate, figure: StoredFigure): boolean {
  const { rate, date, validUntil } = figureOf(stated);
  return rate === figure.rate && date === figure.date && validUntil === figure.validUntil;
}
