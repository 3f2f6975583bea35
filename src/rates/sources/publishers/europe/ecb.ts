import type { SourceLine } from "../../../served/rules/rate.ts";
import { ParseError, type PublisherResponse } from "../publisher.ts";
import { EcbDocument } from "./ecb-xml.ts";

/**
 * Reads the European Central Bank's daily reference rates, eurofxref-daily.xml: a dated Cube with
 * a Cube per currency; one euro is worth `rate` units of it.
 */
export function parseEcb([response]: readonly PublisherResponse[]): readonly SourceLine[] {
  const document = new EcbDocument();
  const lines = document.end(new TextDecoder("utf-8").decode(response?.body));
  if (document.stopped) {
    // The lines before the fault may be right, but a truncated document is not a publication.
    const fault = lines.at(-1);
    throw new ParseError(fault !== undefined && "reason" in fault ? fault.reason : "not XML");
  }
  return lines;
}
