import { pagesOf } from "../../platform/shared/pages.ts";
import type {
  DateRange,
  FigureCursor,
  Series,
  SeriesReads,
  StoredFigure,
} from "../../rates/series/store.ts";

/** The figures of a series within some dates, by date, time and revision, in pages. */
export const readFigures = (
  reads: Pick<SeriesReads, "figures">,
  series: Series,
  dates: DateRange,
) =>
  pagesOf<StoredFigure, FigureCursor>(
    { date: "", asOf: "", revision: 0 },
    (after, limit) => reads.figures(series, { ...dates, after, limit }),
    (figure) => figure,
  );
