import { readFileSync } from "node:fs";
import { treasuryCurrencies } from "../../src/rates/sources/publishers/periodic/parsers.ts";

/** A publisher's figures on a day, each with the symbols of its pair. */
export type DayFigures = readonly (readonly [base: string, quote: string, rate: string])[];

/** The figures of the bundled snapshot by publisher; of nbp, one list for each of its tables. */
export function snapshotFigures(): ReadonlyMap<string, readonly DayFigures[]> {
  const file = new URL("../../snapshot/rates.json", import.meta.url);
  const { publications } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly publications: readonly { readonly source: string; readonly rates: DayFigures }[];
  };
  const figures = new Map<string, DayFigures[]>();
  for (const { source, rates } of publications) {
    figures.set(source, [...(figures.get(source) ?? []), rates]);
  }
  return figures;
}

/** The bodies of a publisher's addresses on a day, in its layout. */
type Layout = (tables: readonly DayFigures[], day: string, dayOfTableB: string) => string[];

/** By the keys of the sources that are on by default. */
export const layouts: Readonly<Record<string, Layout>> = {
  ecb([figures = []], day) {
    const cubes = figures.map(([, quote, rate]) => `<Cube currency='${quote}' rate='${rate}'/>`);
    return [
      `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject>
<Cube>
<Cube time='${day}'>
${cubes.join("\n")}
</Cube>
</Cube>
</gesmes:Envelope>`,
    ];
  },

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

  cnb([figures = []], day) {
    const rows = figures.map(
      ([code, , rate], order) =>
        `{"validFor":"${day}","order":${order},"country":"Country of ${code}",` +
        `"currency":"currency","amount":1,"currencyCode":"${code}","rate":${rate}}`,
    );
    return [`{"rates":[${rows.join(",")}]}`];
  },

  nbp(tables, day, dayOfTableB) {
    return tables.map((figures, index) => {
      const rows = figures.map(
        ([code, , rate]) => `{"currency":"waluta ${code}","code":"${code}","mid":${rate}}`,
      );
      const table = index === 0 ? "A" : "B";
      const effective = index === 0 ? day : dayOfTableB;
      const number = `${effective.slice(5, 7)}${effective.slice(8)}/${table}/NBP`;
      return (
        `[{"table":"${table}","no":"${number}","effectiveDate":"${effective}",` +
        `"rates":[${rows.join(",")}]}]`
      );
    });
  },

  norges([figures = []], day) {
    const head =
      "FREQ,BASE_CUR,QUOTE_CUR,TENOR,DECIMALS,CALCULATED,UNIT_MULT,COLLECTION,TIME_PERIOD,OBS_VALUE";
    const rows = figures.map(
      ([base, quote, rate]) => `B,${base},${quote},SP,4,false,0,C,${day},${rate}`,
    );
    return [`${[head, ...rows].join("\n")}\n`];
  },

  dnb([figures = []], day) {
    const rows = figures.map(
      ([code, , rate]) => `<currency desc="${code}" code="${code}" rate="${rate}" />`,
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
      ([code, , rate]) =>
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
