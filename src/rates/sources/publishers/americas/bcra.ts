import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOfUnits } from "../formats/source-lines.ts";
import type { Parse } from "../publisher.ts";

/** The peso itself, a reference of its own, metals without a figure, and a withdrawn bolívar. */
const LEFT_OUT: ReadonlySet<string | undefined> = new Set(["ARS", "REF", "XAG", "XAU", "VEB"]);

/** The bank's code for the Mexican peso is the one that ISO 4217 withdrew in 1993. */
const RENAMED: ReadonlyMap<string | undefined, string> = new Map([["MXP", "MXN"]]);

/**
 * Reads the quotations of the Central Bank of Argentina (api.bcra.gob.ar, Cotizaciones): the pesos
 * per unit or, as in `DONG VIETNAM (C/1.000 UNIDADES)`, per several units of a currency.
 */
export const parseBcra: Parse = ([response], momentOf) => {
  const { fecha, detalle } = membersOf(membersOf(parseJsonText(response)).results);
  const asOf = momentOf(textOf(fecha) ?? "");
  return requireList(detalle, "detalle").flatMap((row) => {
    const { codigoMoneda, descripcion, tipoCotizacion } = membersOf(row);
    const code = textOf(codigoMoneda);
    if (LEFT_OUT.has(code)) return [];
    const [, units = "1"] = /\(C\/([0-9.]+) UNIDADES\)/.exec(textOf(descripcion) ?? "") ?? [];
    const base = RENAMED.get(code) ?? code;
    const rate = textOf(tipoCotizacion);
    return [lineOfUnits(units.replaceAll(".", ""), { base, quote: "ARS", rate, asOf })];
  });
};
