import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { withoutMidnight } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/**
 * Reads the representative market rate (TRM) that the Superintendencia Financiera certifies
 * (datos.gov.co, dataset 32sa-8pi3): the pesos per US dollar, in effect from `vigenciadesde` on.
 */
export const parseSfc: Parse = ([response], momentOf) => {
  return requireList(parseJsonText(response), "the response").map((entry) => {
    const { valor, unidad, vigenciadesde } = membersOf(entry);
    const asOf = momentOf(withoutMidnight(textOf(vigenciadesde)));
    return lineOf({ base: "USD", quote: textOf(unidad), rate: textOf(valor), asOf });
  });
};
