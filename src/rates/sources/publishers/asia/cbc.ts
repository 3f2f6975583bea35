import { listAt, membersOf, parseJsonText, textOf } from "../formats/json-text.ts";
import { isoDateOfDigits } from "../formats/notation.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { Entry, Parse } from "../publisher.ts";

const FILE = "https://cpx.cbc.gov.tw/API/DataAPI/Get?FileName=BP01D01";

/**
 * Reads the Central Bank of Taiwan's table of rates of the US dollar (cpx.cbc.gov.tw, BP01D01): a
 * row for each day, whose columns are named such as `NTD/USD`, the dollars of Taiwan for one.
 */
const parseCbc: Parse = ([response], momentOf) => {
  const { data } = membersOf(parseJsonText(response));
  const columns = listAt(data, "structure", "Table1").map((one) => textOf(membersOf(one).data));
  return listAt(data, "dataSets").flatMap((row) => {
    const [date, ...values] = listAt(row).map(textOf);
    const asOf = momentOf(isoDateOfDigits(date));
    return values.flatMap((rate, index) => {
      // A currency that has ended, or had no rate yet.
      if (rate === "-") return [];
      const [, quote, base] = /([A-Z]{3})\/([A-Z]{3})$/.exec(columns[index] ?? "") ?? [];
      return [lineOf({ base, quote, rate, asOf }, columns[index])];
    });
  });
};

export const cbc: Entry = {
  key: "cbc",
  name: "Central Bank of the Republic of China (Taiwan)",
  country: "TW",
  // The file's first note, in Chinese.
  terms: "For research and reference only, by the note of the bank.",
  addresses: [FILE],
  // Each month the days of the month before: that of February was updated on 2 March 2026. The
  // file has all days since 1993.
  schedule: { cron: "0 12 5 * *", timeZone: "Asia/Taipei", leadDays: 20 },
  // Its second note: "16:00", in the interbank market.
  publishedAt: "16:00",
  parse: parseCbc,
  // The last figures of three currencies that became the euro.
  endedAfterDays: 31,
  archive: { since: "1993-01-05", requestsBy: "everything", addresses: () => FILE },
};
