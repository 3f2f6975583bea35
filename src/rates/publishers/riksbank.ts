import { membersOf, parseJsonText, requireList, textOf } from "./json-text.ts";
import type { Answer, SourceLine, ToInstant } from "./publisher.ts";
import { lineOf, shown, withoutEndedSeries } from "./source-lines.ts";

const SERIES = /^SEK([A-Z]{3})PMI$/;

/** The krona in kronor ("ett" is one): it stands among the currencies. */
const KRONA_ITSELF = "SEKETT";

/**
 * Reads Sveriges Riksbank's middle rates (api.riksbank.se, swea/v1, group 130): in the series
 * SEKUSDPMI the kronor for one US dollar. The group answers with ended series, too.
 */
export function parseRiksbank(
  answers: readonly Answer[],
  momentOf: ToInstant,
): readonly SourceLine[] {
  return answers.flatMap((answer) => {
    const rows = requireList(parseJsonText(answer), "the answer").map(membersOf);
    const lines = rows
      .filter(({ seriesId }) => seriesId !== KRONA_ITSELF)
      .map(({ seriesId, date, value }) =>
        lineOf(`the series ${shown(textOf(seriesId))}`, {
          base: SERIES.exec(textOf(seriesId) ?? "")?.[1],
          quote: "SEK",
          rate: textOf(value),
          asOf: momentOf(textOf(date) ?? ""),
        }),
      );
    return withoutEndedSeries(lines, answer);
  });
}
