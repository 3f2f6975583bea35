import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOf, withoutEndedSeries } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

const SERIES = /^SEK([A-Z]{3})PMI$/;

/** The krona in kronor ("ett" is one), which is listed among the currencies. */
const KRONA_ITSELF = "SEKETT";

/**
 * Reads Sveriges Riksbank's middle rates (api.riksbank.se, swea/v1, group 130): the series
 * SEKUSDPMI has the kronor per US dollar. The group's response includes ended series.
 */
export const parseRiksbank: Parse = (responses, momentOf) =>
  responses.flatMap((response) =>
    withoutEndedSeries(parseRiksbankArchive([response], momentOf), response),
  );

/** Reads the same without leaving any series out. */
export const parseRiksbankArchive: Parse = (responses, momentOf) =>
  responses.flatMap((response) =>
    requireList(parseJsonText(response), "the response")
      .map(membersOf)
      .filter(({ seriesId }) => seriesId !== KRONA_ITSELF)
      .map(({ seriesId, date, value }) => {
        const name = textOf(seriesId);
        const base = SERIES.exec(name ?? "")?.[1];
        const asOf = momentOf(textOf(date) ?? "");
        return lineOf({ base, quote: "SEK", rate: textOf(value), asOf }, name);
      }),
  );
