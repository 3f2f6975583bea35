import type { SourceLine } from "../../../rates/rules/rate.ts";
import { quoted } from "../../../shared/text/visible-text.ts";
import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOf, withoutEndedSeries } from "../formats/source-lines.ts";
import type { PublisherResponse, ToInstant } from "../publisher.ts";

const SERIES = /^SEK([A-Z]{3})PMI$/;

/** The krona in kronor ("ett" is one), which is listed among the currencies. */
const KRONA_ITSELF = "SEKETT";

/**
 * Reads Sveriges Riksbank's middle rates (api.riksbank.se, swea/v1, group 130): the series
 * SEKUSDPMI has the kronor per US dollar. The group's response includes ended series.
 */
export function parseRiksbank(
  responses: readonly PublisherResponse[],
  momentOf: ToInstant,
): readonly SourceLine[] {
  return responses.flatMap((response) => {
    const rows = requireList(parseJsonText(response), "the response").map(membersOf);
    const lines = rows
      .filter(({ seriesId }) => seriesId !== KRONA_ITSELF)
      .map(({ seriesId, date, value }) =>
        lineOf(`the series ${quoted(textOf(seriesId))}`, {
          base: SERIES.exec(textOf(seriesId) ?? "")?.[1],
          quote: "SEK",
          rate: textOf(value),
          asOf: momentOf(textOf(date) ?? ""),
        }),
      );
    return withoutEndedSeries(lines, response);
  });
}
