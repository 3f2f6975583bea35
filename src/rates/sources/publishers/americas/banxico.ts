import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { decimalWithoutCommas, isoDateOf } from "../formats/notation.ts";
import { lineOf, unknownCurrency } from "../formats/source-lines.ts";
import type { Address, Parse } from "../publisher.ts";

/** The FIX of the dollar, and the bank's rates of four more currencies, by their series. */
const SERIES: ReadonlyMap<string | undefined, string> = new Map([
  ["SF43718", "USD"],
  ["SF46410", "EUR"],
  ["SF46407", "GBP"],
  ["SF46406", "JPY"],
  ["SF60632", "CAD"],
]);

/** Longer than any pause of banking days. */
const DAYS = 10;

export const requestBanxico: Address = (today, token) => {
  const period = `${today.subtract({ days: DAYS })}/${today}`;
  const series = [...SERIES.keys()].join(",");
  return {
    address: `https://www.banxico.org.mx/SieAPIRest/service/v1/series/${series}/datos/${period}`,
    headers: { "bmx-token": token },
  };
};

/** Reads the Bank of Mexico's series (SIE API): the pesos for one unit of a series' currency. */
export const parseBanxico: Parse = ([response], momentOf) => {
  const { bmx } = membersOf(parseJsonText(response));
  return requireList(membersOf(bmx).series, "series").flatMap((one) => {
    const { idSerie, datos } = membersOf(one);
    const base = SERIES.get(textOf(idSerie));
    if (base === undefined) return [unknownCurrency(textOf(idSerie))];
    return requireList(datos, "datos").flatMap((entry) => {
      const { fecha, dato } = membersOf(entry);
      // "No existe": a day without this rate.
      if (dato === "N/E") return [];
      const rate = decimalWithoutCommas(textOf(dato));
      const asOf = momentOf(isoDateOf(textOf(fecha)));
      return [lineOf({ base, quote: "MXN", rate, asOf })];
    });
  });
};
