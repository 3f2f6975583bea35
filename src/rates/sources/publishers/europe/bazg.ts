import type { SourceLine } from "../../../served/rules/rate.ts";
import { dayAfter, isDayOff } from "../../rules/holidays.ts";
import { dateAs, isoDateOf, lastDayOf } from "../formats/notation.ts";
import { lineOfUnits, required } from "../formats/source-lines.ts";
import { elementsAt, parseXmlText, textAt, type XmlElement } from "../formats/xml-text.ts";
import type { Entry, Parse, ToInstant } from "../publisher.ts";
import { swissHolidays } from "./holidays.ts";

const DAILY = "https://www.backend-rates.bazg.admin.ch/api/xmldaily";

/**
 * Reads the Swiss customs office's selling rates of a day (backend-rates.bazg.admin.ch, xmldaily):
 * the francs for the units that `waehrung` states. They are set on `datum`, and are valid on the
 * days of `gueltigkeit`, which begin with the next one.
 */
const parseBazg: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "wechselkurse");
  const days = (textAt(document, "gueltigkeit") ?? "").split(",").map(isoDateOf).sort();
  const asOf = required(momentOf(days[0]), "gueltigkeit has no date as in 25.04.2026");
  return readBazg(document, asOf, days.at(-1));
};

/**
 * Reads the average of those rates that is valid for a month (xmlavgmonth), its `monat`: by the
 * tax administration, that of the days until the 24th of the month before.
 */
export const parseBazgMonth: Parse = ([response], momentOf) => {
  const document = parseXmlText(response, "monatsmittelkurs");
  const month = textAt(document, "monat");
  const asOf = required(momentOf(`${month}-01`), "monat is not as in 2026-04");
  return readBazg(document, asOf, lastDayOf(month));
};

function readBazg(
  document: XmlElement,
  asOf: ReturnType<ToInstant>,
  validUntil: string | undefined,
): readonly SourceLine[] {
  return elementsAt(document, "devise").map((element) => {
    const [units, base] = (textAt(element, "waehrung") ?? "").split(" ");
    const stated = { base, quote: "CHF", rate: textAt(element, "kurs"), asOf };
    return { ...lineOfUnits(units, stated), kind: "selling", validUntil };
  });
}

export const bazg: Entry = {
  key: "bazg",
  name: "Federal Office for Customs and Border Security",
  country: "CH",
  terms: "Copyright of SIX Financial Information: passing the figures on is forbidden.",
  termsUrl: "https://www.estv.admin.ch/de/mwst-fremdwaehrungskurse",
  addresses: [DAILY],
  // "Devisenkurse (Verkauf)", the daily rates of the tax administration. The file is written at
  // 07:00, with the rates for the next day; before days without a new one, also for those.
  // Fetched when they begin to apply, which is the day after a working day.
  schedule: {
    cron: "5 0 * * 2-6",
    timeZone: "Europe/Zurich",
    holidays: dayAfter(swissHolidays),
  },
  publishedAt: "00:00",
  servedKind: "selling",
  parse: parseBazg,
  // A date is the day on which the rates are set; a day without new ones has those before. The
  // first response that is known is of 28 June 2022.
  archive: {
    since: "2022-06-29",
    requestsBy: "day",
    addresses: ({ from }) => {
      const set = Temporal.PlainDate.from(from).subtract({ days: 1 });
      if (isDayOff(set, swissHolidays)) return [];
      return `${DAILY}?d=${dateAs("yyyymmdd", set)}`;
    },
  },
};
