import type { Dates } from "../../rules/archive-ranges.ts";
import { publicationTime } from "../../rules/publication-time.ts";
import {
  jsonRows,
  listAt,
  membersOf,
  parseJsonText,
  textOf,
  textsOf,
} from "../formats/json-text.ts";
import { dateAs, decimalWithoutCommas, isoDateOf, withoutMidnight } from "../formats/notation.ts";
import { lineOf, lineOfUnits, linesOfKinds, unknownCurrency } from "../formats/source-lines.ts";
import type { DocumentRequest, Parse } from "../publisher.ts";

/** The FIX of the dollar, and the bank's rates of four more currencies, by their series. */
const BANXICO_SERIES: ReadonlyMap<string | undefined, string> = new Map([
  ["SF43718", "USD"],
  ["SF46410", "EUR"],
  ["SF46407", "GBP"],
  ["SF46406", "JPY"],
  ["SF60632", "CAD"],
]);

export const requestBanxico = ({ from, to }: Dates, token: string): DocumentRequest => {
  const data = `${[...BANXICO_SERIES.keys()].join(",")}/datos/${from}/${to}`;
  return {
    address: `https://www.banxico.org.mx/SieAPIRest/service/v1/series/${data}`,
    headers: { "bmx-token": token },
  };
};

/** Reads the Bank of Mexico's series (SIE API): the pesos for one unit of a series' currency. */
export const parseBanxico: Parse = ([response], momentOf) =>
  listAt(parseJsonText(response), "bmx", "series").flatMap((one) => {
    const { idSerie } = textsOf(one);
    const base = BANXICO_SERIES.get(idSerie);
    if (base === undefined) return [unknownCurrency(idSerie)];
    return listAt(one, "datos").flatMap((entry) => {
      const { fecha, dato } = textsOf(entry);
      // "No existe": a day without this rate.
      if (dato === "N/E") return [];
      const asOf = momentOf(isoDateOf(fecha));
      return [lineOf({ base, quote: "MXN", rate: decimalWithoutCommas(dato), asOf })];
    });
  });

export const BCB_ZONE = "America/Sao_Paulo";

const PTAX = "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata";
const PTAX_OPERATION = "(moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)";

/** PTAX's currencies: each has an address of its own. */
export const BCB_CURRENCIES = "AUD CAD CHF DKK EUR GBP JPY NOK SEK USD".split(" ");

/** The closing bulletins of some dates. */
export function requestBcb(currency: string, { from, to }: Dates): string {
  const period = `@dataInicial='${american(from)}'&@dataFinalCotacao='${american(to)}'`;
  const closing = "$filter=tipoBoletim%20eq%20'Fechamento'&$format=json";
  const query = `@moeda='${currency}'&${period}&${closing}`;
  return `${PTAX}/CotacaoMoedaPeriodo${PTAX_OPERATION}?${query}`;
}

const american = (date: string) => dateAs("mm-dd-yyyy", date);

/**
 * Reads the Brazilian central bank's PTAX rates (olinda.bcb.gov.br, CotacaoMoedaPeriodo): the
 * reais for one unit of the address's currency, `cotacaoCompra` to buy it and `cotacaoVenda` to
 * sell it, at the time of the bulletin in Brasília.
 */
export const parseBcb: Parse = ([response]) => {
  const base = /@moeda='([A-Z]+)'/.exec(response?.address ?? "")?.[1];
  return jsonRows(response, "value").flatMap((bulletin) => {
    const { cotacaoCompra: buying, cotacaoVenda: selling, dataHoraCotacao } = bulletin;
    const [date = "", time = ""] = (dataHoraCotacao ?? "").split(" ");
    const asOf = publicationTime(date, time, BCB_ZONE);
    return linesOfKinds({ buying, selling }, (rate) => lineOf({ base, quote: "BRL", rate, asOf }));
  });
};

/** The peso itself, a reference of its own, and a withdrawn bolívar. */
const BCRA_LEFT_OUT: ReadonlySet<string | undefined> = new Set(["ARS", "REF", "VEB"]);

/**
 * Reads the quotations of the Central Bank of Argentina (api.bcra.gob.ar, Cotizaciones): the pesos
 * per unit or, as in `DONG VIETNAM (C/1.000 UNIDADES)`, per several units of a currency.
 */
export const parseBcra: Parse = ([response], momentOf) => {
  const { results } = membersOf(parseJsonText(response));
  const asOf = momentOf(textsOf(results).fecha);
  return listAt(results, "detalle").flatMap((row) => {
    const { codigoMoneda: base, descripcion = "", tipoCotizacion: rate } = textsOf(row);
    if (BCRA_LEFT_OUT.has(base)) return [];
    const [, units = "1"] = /\(C\/([0-9.]+) UNIDADES\)/.exec(descripcion) ?? [];
    return [lineOfUnits(units.replaceAll(".", ""), { base, quote: "ARS", rate, asOf })];
  });
};

const BOC_SERIES = /^FX([A-Z]{3})([A-Z]{3})$/;

/**
 * Reads the Bank of Canada's daily rates (Valet API, group FX_RATES_DAILY): one observation per
 * day, in which the series FXUSDCAD has the Canadian dollars per US dollar as a string in `v`.
 */
export const parseBoc: Parse = ([response], momentOf) =>
  listAt(parseJsonText(response), "observations").flatMap((observation) => {
    const { d: date, ...series } = membersOf(observation);
    const asOf = momentOf(textOf(date));
    return Object.entries(series).map(([name, value]) => {
      const [, base, quote] = BOC_SERIES.exec(name) ?? [];
      return lineOf({ base, quote, rate: textsOf(value).v, asOf }, name);
    });
  });

/**
 * Reads the representative market rate (TRM) that the Superintendencia Financiera certifies
 * (datos.gov.co, dataset 32sa-8pi3): the pesos per US dollar, in effect from `vigenciadesde` to
 * `vigenciahasta`, as from Saturday to Monday.
 */
export const parseSfc: Parse = ([response], momentOf) =>
  jsonRows(response).map(({ valor: rate, unidad: quote, vigenciadesde, vigenciahasta }) => {
    const validUntil = withoutMidnight(vigenciahasta);
    const asOf = momentOf(validUntil) && momentOf(withoutMidnight(vigenciadesde));
    return { ...lineOf({ base: "USD", quote, rate, asOf }), validUntil };
  });
