import { quoted } from "../../shared/text/visible-text.ts";
import { membersOf, parseJsonText, requireList, textOf } from "./json-text.ts";
import type { Answer, SourceLine, ToInstant } from "./publisher.ts";
import { lineOf, withoutEndedSeries } from "./source-lines.ts";

const SERIES = /^SEK([A-Z]{3})PMI$/;

/** The krona in kronor ("ett" is one), which is listed among the currencies. */
const KRONA_ITSELF = "SEKETT";

/**
 * Reads Sveriges Riksbank's middle rates (api.riksbank.se, swea/v1, group 130): the series
 * SEKUSDPMI has the kronor per US dollar. The group's response includes ended series.
 */
export function parseRiksbank(
  answers: readonly Answer[],
  momentOf: ToInstant,
): readonly SourceLine[] {
  return answers.flatMap((answer) => {
    const rows = requireList(parseJsonText(answer), "the response").map(membersOf);
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
    return withoutEndedSeries(lines, answer);
  });
}
