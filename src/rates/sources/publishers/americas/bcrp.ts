import type { Dates } from "../../rules/archive-ranges.ts";
import { parseHolidays } from "../../rules/holidays.ts";
import { listAt, membersOf, parseJsonText, textOf, textsOf } from "../formats/json-text.ts";
import { lineOf, unknownCurrency } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

/** National holidays, by the Legislative Decree 713 and the laws that have added some. */
const peruvianHolidays = parseHolidays(`2026-:
  01-01, easter-3 (Maundy Thursday), easter-2, 05-01, 06-07, 06-29, 07-23, 07-28, 07-29, 08-06,
  08-30, 10-08, 11-01, 12-08, 12-09, 12-25`);

/** The banks' closing quotes of the dollar, as the response calls the two series. */
const KINDS: ReadonlyMap<string | undefined, "buying" | "selling"> = new Map([
  ["Tipo de cambio - TC Sistema bancario SBS (S/ por US$) - Compra", "buying"],
  ["Tipo de cambio - TC Sistema bancario SBS (S/ por US$) - Venta", "selling"],
]);

/** Asked for in English, September is `Set`, and some months may be Spanish, too. */
const MONTHS = "Jan|Ene Feb Mar Apr|Abr May Jun Jul Aug|Ago Sep|Set Oct Nov Dec|Dic".split(" ");

const addressOf = ({ from, to }: Dates) =>
  "https://estadisticas.bcrp.gob.pe/estadisticas/series/api/PD04639PD-PD04640PD/json" +
  `/${from}/${to}/ing`;

/** Rewrites a day such as `04.Set.26`, of this century unless it is one of the nineties. */
function dateOf(text = ""): string {
  const [, day, name = "", year = ""] =
    /^([0-9]{2})\.([A-Z][a-z]{2})\.([0-9]{2})$/.exec(text) ?? [];
  const month = 1 + MONTHS.findIndex((names) => names.split("|").includes(name));
  return `${year >= "90" ? "19" : "20"}${year}-${String(month).padStart(2, "0")}-${day}`;
}

/** Reads the Central Reserve Bank of Peru's series (BCRPData): the soles per US dollar. */
const parseBcrp: Parse = ([response], momentOf) => {
  const document = parseJsonText(response);
  const series = listAt(document, "config", "series").map((one) => textsOf(one).name);
  return listAt(document, "periods").flatMap((period) => {
    const asOf = momentOf(dateOf(textOf(membersOf(period).name)));
    const values = listAt(period, "values").map(textOf);
    return series.flatMap((name, index) => {
      const kind = KINDS.get(name);
      if (kind === undefined) return [unknownCurrency(name)];
      // "no disponible": not yet, or a day without trade.
      if (values[index] === "n.d.") return [];
      return [{ ...lineOf({ base: "USD", quote: "PEN", rate: values[index], asOf }), kind }];
    });
  });
};

export const bcrp: Entry = {
  key: "bcrp",
  name: "Central Reserve Bank of Peru",
  country: "PE",
  terms: "Free to pass on, in whole or in part, the Central Reserve Bank named as the source.",
  termsUrl: "https://estadisticas.bcrp.gob.pe/estadisticas/series/ayuda/condiciones-de-uso",
  addresses: { latestDays: 14 },
  // On the next working day, "la cotización de cierre de la SBS del día anterior" (gob.pe,
  // "Consultar tipo de cambio"): in the morning it is not there yet. Terms as programs quote them.
  schedule: {
    cron: "30 17 * * 1-5",
    timeZone: "America/Lima",
    holidays: peruvianHolidays,
    leadDays: 5,
  },
  publishedAt: "18:00",
  // At which the banks sell: what an importer pays.
  servedKind: "selling",
  parse: parseBcrp,
  archive: { since: "1997-01-02", requestsBy: "year", addresses: addressOf },
};
