import { seededRandom } from "./seeded-random.ts";

/** A figure that a made-up archive has: one unit of `base` is worth `rate` of `quote`. */
export interface ArchivedFigure {
  readonly date: string;
  readonly base: string;
  readonly quote: string;
  /** As the document writes it. */
  readonly rate: string;
}

/** The days on which TARGET is open, oldest first: no weekend and none of its six holidays. */
export function targetDays(from: string, to: string): readonly string[] {
  const days: string[] = [];
  const last = Temporal.PlainDate.from(to);
  let day = Temporal.PlainDate.from(from);
  for (; Temporal.PlainDate.compare(day, last) <= 0; day = day.add({ days: 1 })) {
    if (day.dayOfWeek <= 5 && !isTargetHoliday(day)) days.push(day.toString());
  }
  return days;
}

function isTargetHoliday(day: Temporal.PlainDate): boolean {
  const sinceEaster = easterSunday(day.year).until(day).days;
  const isEaster = sinceEaster === -2 || sinceEaster === 1;
  return isEaster || ["01-01", "05-01", "12-25", "12-26"].includes(day.toString().slice(5));
}

/** By the anonymous Gregorian algorithm (Meeus, Astronomical Algorithms, chapter 8). */
function easterSunday(year: number): Temporal.PlainDate {
  const [century, rest] = [Math.floor(year / 100), year % 100];
  const golden = year % 19;
  const leaps = Math.floor(century / 4);
  const moon = Math.floor((8 * century + 13) / 25);
  const epact = (19 * golden + century - leaps - moon + 15) % 30;
  const shift = Math.floor((golden + 11 * epact) / 319);
  const weekday =
    (2 * (century % 4) + 2 * Math.floor(rest / 4) - (rest % 4) - epact + shift + 32) % 7;
  const month = Math.floor((epact - shift + weekday + 90) / 25);
  return Temporal.PlainDate.from({
    year,
    month,
    day: (epact - shift + weekday + month + 19) % 32,
  });
}

const ECB_CURRENCIES = (
  "USD JPY BGN CZK DKK GBP HUF PLN RON SEK CHF ISK NOK TRY AUD BRL CAD CNY HKD IDR ILS INR KRW " +
  "MXN MYR NZD PHP SGD THB ZAR"
).split(" ");

/** A figure of each currency on each day, the same for the same seed. */
export function madeUpFigures(
  days: readonly string[],
  pairOf: (currency: string) => Pick<ArchivedFigure, "base" | "quote">,
  seed = 1,
): readonly ArchivedFigure[] {
  const random = seededRandom(seed);
  return days.flatMap((date) =>
    ECB_CURRENCIES.flatMap((currency, index) => {
      const pair = pairOf(currency);
      if (pair.base === pair.quote) return [];
      // The ECB states five significant digits: 1.1476, 130.25, 16789.
      const digits = String(10_000 + Math.floor(random() * 90_000));
      const point = 1 + (index % 5);
      const fraction = digits.slice(point);
      const rate = fraction === "" ? digits : `${digits.slice(0, point)}.${fraction}`;
      return [{ date, ...pair, rate }];
    }),
  );
}

export const ofEuro = (quote: string) => ({ base: "EUR", quote });

/** The layout of eurofxref-hist.xml: one line, the last day first. */
export function ecbHistory(figures: readonly ArchivedFigure[]): string {
  const days = Map.groupBy(figures, ({ date }) => date);
  const cubes = [...days].reverse().map(([date, some]) => {
    const rates = some.map(({ quote, rate }) => `<Cube currency="${quote}" rate="${rate}"/>`);
    return `<Cube time="${date}">${rates.join("")}</Cube>`;
  });
  return (
    '<?xml version="1.0" encoding="UTF-8"?><gesmes:Envelope ' +
    'xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" ' +
    'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">' +
    "<gesmes:subject>Reference rates</gesmes:subject><gesmes:Sender>" +
    "<gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>" +
    `<Cube>${cubes.join("")}</Cube></gesmes:Envelope>`
  );
}

/** The layout of cnbapi/exrates/daily-year: the figures of a year, per unit. */
export function cnbYear(figures: readonly ArchivedFigure[], year: string): string {
  const rows = figures
    .filter(({ date }) => date.startsWith(year))
    .map(
      ({ date, base, rate }, order) =>
        `{"validFor":"${date}","order":${order},"country":"Country of ${base}",` +
        `"currency":"currency","amount":1,"currencyCode":"${base}","rate":${rate}}`,
    );
  return `{"rates":[${rows.join(",")}]}`;
}

/** The layout of NBP's tables of some dates; undefined where there is none: then it sends 404. */
export function nbpTables(
  figures: readonly ArchivedFigure[],
  table: string,
  { from, to }: { readonly from: string; readonly to: string },
): string | undefined {
  const inRange = figures.filter(({ date }) => date >= from && date <= to);
  if (inRange.length === 0) return undefined;
  const days = [...Map.groupBy(inRange, ({ date }) => date)].map(([date, some], index) => {
    const rows = some.map(
      ({ base, rate }) => `{"currency":"waluta ${base}","code":"${base}","mid":${rate}}`,
    );
    const number = `${String(index + 1).padStart(3, "0")}/${table}/NBP/${date.slice(0, 4)}`;
    return (
      `{"table":"${table}","no":"${number}","effectiveDate":"${date}",` +
      `"rates":[${rows.join(",")}]}`
    );
  });
  return `[${days.join(",")}]`;
}
