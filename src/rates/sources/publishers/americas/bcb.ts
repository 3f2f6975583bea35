import { publicationTime } from "../../rules/publication-time.ts";
import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOf } from "../formats/source-lines.ts";
import { type Address, type Parse, ParseError } from "../publisher.ts";

export const BCB_ZONE = "America/Sao_Paulo";

const PTAX = "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata";
const OPERATION = "(moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)";

/** Longer than any pause of working days. */
const DAYS = 7;

/** One for each of PTAX's currencies: the closing bulletins of the last days. */
export const bcbAddresses: readonly Address[] = "AUD CAD CHF DKK EUR GBP JPY NOK SEK USD"
  .split(" ")
  .map((currency) => (today) => {
    const from = american(today.subtract({ days: DAYS }));
    const period = `@dataInicial='${from}'&@dataFinalCotacao='${american(today)}'`;
    const closing = "$filter=tipoBoletim%20eq%20'Fechamento'&$format=json";
    const query = `@moeda='${currency}'&${period}&${closing}`;
    return { address: `${PTAX}/CotacaoMoedaPeriodo${OPERATION}?${query}` };
  });

function american({ year, month, day }: Temporal.PlainDate): string {
  const digits = (number: number) => String(number).padStart(2, "0");
  return `${digits(month)}-${digits(day)}-${year}`;
}

/**
 * Reads the Brazilian central bank's PTAX rates (olinda.bcb.gov.br, CotacaoMoedaPeriodo): the
 * reais for one unit of the address's currency, `cotacaoCompra` to buy it and `cotacaoVenda` to
 * sell it, at the time of the bulletin in Brasília.
 */
export const parseBcb: Parse = (responses) =>
  responses.flatMap((response, place) => {
    const base = /@moeda='([A-Z]+)'/.exec(response.address)?.[1];
    const bulletins = requireList(membersOf(parseJsonText(response)).value, "value");
    // Without this check, the other currencies would hide that there is none of this one.
    if (bulletins.length === 0) throw new ParseError("no rates in the response: a list is empty");
    return bulletins.flatMap((bulletin) => {
      const { cotacaoCompra, cotacaoVenda, dataHoraCotacao } = membersOf(bulletin);
      const [date = "", time = ""] = (textOf(dataHoraCotacao) ?? "").split(" ");
      const asOf = publicationTime(date, time, BCB_ZONE);
      const line = (kind: "buying" | "selling", rate: string | undefined) => {
        return { ...lineOf({ base, quote: "BRL", rate, asOf }), kind, place };
      };
      return [line("buying", textOf(cotacaoCompra)), line("selling", textOf(cotacaoVenda))];
    });
  });
