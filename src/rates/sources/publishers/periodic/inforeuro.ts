import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lastDayOf } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Address, Parse } from "../publisher.ts";

const API = "https://ec.europa.eu/budg/inforeuro/api/public/monthly-rates";

export const requestInforEuro: Address = ({ year, month }) => ({
  address: `${API}?lang=EN&year=${year}&month=${month}`,
});

/**
 * Reads the European Commission's accounting rates of a month (ec.europa.eu, InforEuro): the units
 * of a currency for a euro. Only the address says which month it is.
 */
export const parseInforEuro: Parse = ([response], momentOf) => {
  const query = URL.parse(response?.address ?? "")?.searchParams;
  const month = `${query?.get("year")}-${query?.get("month")?.padStart(2, "0")}`;
  const validUntil = lastDayOf(month);
  const asOf = momentOf(`${month}-01`);
  return requireList(parseJsonText(response), "the response").flatMap((entry) => {
    const { isoA3Code, value } = membersOf(entry);
    const code = textOf(isoA3Code);
    // The euro itself is listed, too, and so is a currency without a rate.
    if (code === "EUR" || value === null) return [];
    // Their code of the Zimbabwe Gold differs from that of ISO 4217.
    const quote = code === "ZIG" ? "ZWG" : code;
    const stated = { base: "EUR", quote, rate: textOf(value), asOf };
    return [{ ...lineOf(stated), validUntil }];
  });
};
