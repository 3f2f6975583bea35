/** A currency that ended, or that was redenominated under its own code. */
export interface EndedCurrency {
  readonly symbol: string;
  /** The first date without a market figure of it; the last one is dated before. */
  readonly since: string;
  /** Its own code, where the law keeps that for the new units. */
  readonly successor: string;
  /** The units of it that one of the successor is, as the law states them. */
  readonly units: string;
  /** Undefined where no text of it was read. */
  readonly law: string | undefined;
}

// A law is named only where it was read, on 27 November 2026. The rates of the euro: article 1 of
// Council Regulation (EC) No 2866/98 as consolidated, with the lev
// (legalize.dev/eu/law/31998R2866); the regulations that put them there, in EUR-Lex and in the
// data set doi:10.7910/DVN/0EGYWY, but for the Bulgarian one, whose number is in no copy that was
// at hand, and the Croatian one, quoted by fima-vrijednosnice.hr; the ecu: article 2
// (e-glossa.it). The others: bnr.ro (actid=29), basarmevzuat.com and muhasebeturk.org,
// parliament.gov.zm (node 3128), kamunikat.net, afriwise.com with pindula.co.zw, lexology.com on
// the Venezuelan decree. Without a law, dates and units are as central banks and the press
// reported them, but for RUR, of which no report was read.
const CURRENCIES = `
  BGN 2026-01-01 EUR 1.95583 Council Regulation (EC) No 2866/98, as amended
  HRK 2023-01-01 EUR 7.53450 Council Regulation (EU) 2022/1208
  LTL 2015-01-01 EUR 3.45280 Council Regulation (EU) No 851/2014
  LVL 2014-01-01 EUR 0.702804 Council Regulation (EU) No 870/2013
  EEK 2011-01-01 EUR 15.6466 Council Regulation (EU) No 671/2010
  SKK 2009-01-01 EUR 30.1260 Council Regulation (EC) No 694/2008
  CYP 2008-01-01 EUR 0.585274 Council Regulation (EC) No 1135/2007
  MTL 2008-01-01 EUR 0.429300 Council Regulation (EC) No 1134/2007
  SIT 2007-01-01 EUR 239.640 Council Regulation (EC) No 1086/2006
  GRD 2001-01-01 EUR 340.750 Council Regulation (EC) No 1478/2000
  ATS 1999-01-01 EUR 13.7603 Council Regulation (EC) No 2866/98
  BEF 1999-01-01 EUR 40.3399 Council Regulation (EC) No 2866/98
  DEM 1999-01-01 EUR 1.95583 Council Regulation (EC) No 2866/98
  ESP 1999-01-01 EUR 166.386 Council Regulation (EC) No 2866/98
  FIM 1999-01-01 EUR 5.94573 Council Regulation (EC) No 2866/98
  FRF 1999-01-01 EUR 6.55957 Council Regulation (EC) No 2866/98
  IEP 1999-01-01 EUR 0.787564 Council Regulation (EC) No 2866/98
  ITL 1999-01-01 EUR 1936.27 Council Regulation (EC) No 2866/98
  LUF 1999-01-01 EUR 40.3399 Council Regulation (EC) No 2866/98
  NLG 1999-01-01 EUR 2.20371 Council Regulation (EC) No 2866/98
  PTE 1999-01-01 EUR 200.482 Council Regulation (EC) No 2866/98
  XEU 1999-01-01 EUR 1 Council Regulation (EC) No 1103/97
  ANG 2025-03-31 XCG 1
  AZM 2006-01-01 AZN 5000
  BGL 1999-07-05 BGN 1000
  BYB 2000-01-01 BYR 1000
  BYR 2016-07-01 BYN 10000 the Belarusian decree 450 of 2015
  GHC 2007-07-01 GHS 10000
  MRO 2018-01-01 MRU 10
  MZM 2006-07-01 MZN 1000
  ROL 2005-07-01 RON 10000 the Romanian law 348/2004
  RUR 1998-01-01 RUB 1000
  SDD 2007-07-01 SDG 100
  SLL 2022-07-01 SLE 1000
  SRG 2004-01-01 SRD 1000
  STD 2018-01-01 STN 1000
  SYP 2026-01-01 SYP 100
  TMM 2009-01-01 TMT 5000
  TRL 2005-01-01 TRY 1000000 the Turkish law 5083 of 2004
  VEB 2008-01-01 VEF 1000
  VEF 2018-08-20 VES 100000
  VES 2021-10-01 VES 1000000 the Venezuelan decree 4.553 of 2021
  ZMK 2013-01-01 ZMW 1000 the Zambian act 8 of 2012
  ZWL 2024-04-05 ZWG 2498.7242 the Zimbabwean statutory instrument 60 of 2024`;

const bySymbol: ReadonlyMap<string, EndedCurrency> = new Map(
  CURRENCIES.trim()
    .split("\n")
    .map((line) => {
      const [symbol = "", since = "", successor = "", units = "", ...law] = line.trim().split(" ");
      const laws = law.length === 0 ? undefined : law.join(" ");
      return [symbol, { symbol, since, successor, units, law: laws }] as const;
    }),
);

/** @returns the end of a currency that no market has on a date any more. */
export function endedBy(symbol: string, date: string): EndedCurrency | undefined {
  const ended = bySymbol.get(symbol);
  return ended && ended.successor !== symbol && ended.since <= date ? ended : undefined;
}

type Currencies = Readonly<Record<"base" | "quote", string>>;

/** @returns the end of one of a pair's currencies that no market has on a date any more. */
export const endOf = ({ base, quote }: Currencies, date: string): EndedCurrency | undefined =>
  endedBy(base, date) ?? endedBy(quote, date);

/** @returns the end or redenomination of one of a pair's currencies between two dates. */
function endBetween({ base, quote }: Currencies, dates: readonly string[]) {
  const [first = "", last = first] = dates.toSorted();
  return [base, quote]
    .map((symbol) => bySymbol.get(symbol))
    .find((ended) => ended !== undefined && first < ended.since && ended.since <= last);
}

/**
 * Why a figure of a pair cannot stand for a date: one of its currencies has ended by then. Some
 * publishers keep the code, with the figure of its successor.
 *
 * @param figureDate that of the figure; undefined without one.
 */
export function explainEnd(pair: Currencies, date: string, figureDate?: string) {
  const ended =
    endOf(pair, date) ??
    (figureDate === undefined ? undefined : endBetween(pair, [figureDate, date]));
  if (ended === undefined) return undefined;
  const isSameCode = ended.successor === ended.symbol;
  const what = isSameCode ? "no figure is for both sides" : "there is no market figure since";
  return `${describeEnd(ended)}, and ${what}`;
}

/** `HRK ended on 2023-01-01: 1 EUR is 7.53450 HRK by Council Regulation (EU) 2022/1208` */
export function describeEnd({ symbol, since, successor, units, law }: EndedCurrency): string {
  const by = law === undefined ? "" : ` by ${law}`;
  return successor === symbol
    ? `${symbol} was redenominated on ${since}: 1 is ${units} of those before${by}`
    : `${symbol} ended on ${since}: 1 ${successor} is ${units} ${symbol}${by}`;
}
