import { readFileSync } from "node:fs";
import { type ArchivedFigure, cnbYear, ecbHistory, nbpTables } from "../../harness/archives.ts";
import { treasuryCurrencies } from "../../src/rates/sources/publishers/periodic/parsers.ts";

/** The figures of a publisher's table, each with the symbols of its pair. */
export type TableFigures = readonly (readonly [base: string, quote: string, rate: string])[];

/** The figures of the bundled snapshot by publisher; of nbp, one list for each of its tables. */
export function snapshotFigures(): ReadonlyMap<string, readonly TableFigures[]> {
  const file = new URL("../../snapshot/rates.json", import.meta.url);
  const { publications } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly publications: readonly { readonly source: string; readonly rates: TableFigures }[];
  };
  const bySource = Map.groupBy(publications, ({ source }) => source);
  return new Map([...bySource].map(([source, of]) => [source, of.map(({ rates }) => rates)]));
}

/** The bodies of a publisher's addresses on a day, in its layout, from the figures of its tables. */
type Layout = (tables: readonly (readonly ArchivedFigure[])[], day: string) => readonly string[];

/** By the keys of the sources that are on by default. */
export const layouts: Readonly<Record<string, Layout>> = {
  ecb: ([figures = []]) => [ecbHistory(figures)],
  cnb: ([figures = []], day) => [cnbYear(figures, day.slice(0, 4))],
  nbp: (tables) =>
    tables.map((figures, index) => {
      const date = figures[0]?.date ?? "";
      return nbpTables(figures, index === 0 ? "A" : "B", { from: date, to: date }) ?? "";
    }),

  // The Treasury's address sends 400 rows: more than two quarters of all its currencies.
  ust(_tables, day) {
    const names = [...treasuryCurrencies.keys()];
    const data = Array.from({ length: 400 }, (_, index) => {
      const name = names[index % names.length] ?? "";
      const quarter = index < names.length ? day : "2020-03-31";
      return {
        record_date: quarter,
        country: name.split("-")[0],
        currency: name.split("-")[1],
        country_currency_desc: name,
        exchange_rate: `${1 + (index % 97)}.${day.slice(5, 7)}${index % 10}`,
        effective_date: quarter,
      };
    });
    return [JSON.stringify({ data })];
  },

  norges([figures = []], day) {
    const head =
      "FREQ,BASE_CUR,QUOTE_CUR,TENOR,DECIMALS,CALCULATED,UNIT_MULT,COLLECTION,TIME_PERIOD,OBS_VALUE";
    const rows = figures.map(
      ({ base, quote, rate }) => `B,${base},${quote},SP,4,false,0,C,${day},${rate}`,
    );
    return [`${[head, ...rows].join("\n")}\n`];
  },

  dnb([figures = []], day) {
    const rows = figures.map(
      ({ base: code, rate }) => `<currency desc="${code}" code="${code}" rate="${rate}" />`,
    );
    return [
      `<?xml version="1.0" encoding="utf-8"?>
<exchangerates type="Exchange rates" author="Danmarks Nationalbank" refcur="DKK" refamt="1">
<dailyrates id="${day}">
${rows.join("\n")}
</dailyrates>
</exchangerates>`,
    ];
  },

  nbrm([figures = []], day) {
    const rows = figures.map(
      ({ base: code, rate }) =>
        `{"rBr":1,"datum":"${day}T00:00:00","oznaka":"${code}","nomin":1,"sreden":${rate}}`,
    );
    return [`[${rows.join(",")}]`];
  },
};

/**
 * The bodies of an exchange's two addresses in Kraken's layout, with as many pairs as given.
 *
 * @param random from 0 to below 1.
 */
export function exchangeBodies(pairs: number, random: () => number): readonly string[] {
  const names = Array.from({ length: pairs }, (_, index) => `X${1000 + index}USD`);
  const amount = (digits: number) => (random() * 1000).toFixed(digits);
  const listed = names.map(
    (name) =>
      `"${name}":{"altname":"${name}","wsname":"${name.slice(0, 5)}/USD","status":"online"}`,
  );
  const prices = names.map((name) => {
    const list = (count: number) =>
      `[${Array.from({ length: count }, () => `"${amount(5)}"`).join(",")}]`;
    return (
      `"${name}":{"a":${list(3)},"b":${list(3)},"c":${list(2)},"v":${list(2)},"p":${list(2)},` +
      `"t":[${Math.floor(random() * 9999)},${Math.floor(random() * 9999)}],"l":${list(2)},` +
      `"h":${list(2)},"o":"${amount(5)}"}`
    );
  });
  return [listed, prices].map((entries) => `{"error":[],"result":{${entries.join(",")}}}`);
}
