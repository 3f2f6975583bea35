import type { SourceLine } from "../../../rates/rules/rate.ts";
import { DAY_MS } from "../../../shared/clock.ts";
import { timestamp } from "../../../shared/instant.ts";
import { quoted } from "../../../shared/text/visible-text.ts";
import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOf } from "../formats/source-lines.ts";
import type { PublisherResponse, ToInstant } from "../publisher.ts";
import { isTreasuryRepetition, treasuryCurrencies } from "./treasury-currencies.ts";

/**
 * Reads the US Treasury's quarterly Reporting Rates of Exchange (fiscaldata.treasury.gov, dataset
 * treasury-reporting-rates-exchange): for the latest `record_date`, the units of a currency per
 * US dollar. "An amendment to a currency exchange rate for the quarter will appear on the
 * report as a separate line with a new effective date", so that date is the rate's.
 */
export function parseUst(
  [response]: readonly PublisherResponse[],
  momentOf: ToInstant,
): readonly SourceLine[] {
  const { data } = membersOf(parseJsonText(response));
  const rows = requireList(data, "data").map(rowOf);
  // A wrong record date in the future must not hide the current quarter.
  const tomorrow = timestamp((response?.receivedMs ?? 0) + DAY_MS).slice(0, 10);
  const dates = rows.map(({ recordDate }) => recordDate).filter((date) => date <= tomorrow);
  const latest = dates.sort().at(-1) ?? "";
  return rows
    .filter(({ recordDate }) => recordDate >= latest || momentOf(recordDate) === undefined)
    .flatMap((row) => linesOfRow(row, momentOf));
}

interface Row {
  readonly recordDate: string;
  readonly effectiveDate: string;
  readonly name: string;
  readonly rate: string | undefined;
}

function rowOf(entry: unknown): Row {
  const row = membersOf(entry);
  return {
    recordDate: textOf(row.record_date) ?? "",
    effectiveDate: textOf(row.effective_date) ?? "",
    name: textOf(row.country_currency_desc) ?? "",
    rate: textOf(row.exchange_rate),
  };
}

function linesOfRow(row: Row, momentOf: ToInstant): readonly SourceLine[] {
  const { recordDate, effectiveDate, name, rate } = row;
  if (isTreasuryRepetition(name)) return [];
  const quote = treasuryCurrencies.get(name);
  const what = `the rate of ${quoted(name)}`;
  if (quote === undefined) return [{ reason: `${what} is in a currency that Kurs does not know` }];
  const asOf = momentOf(recordDate) && momentOf(effectiveDate);
  return [lineOf(what, { base: "USD", quote, rate, asOf })];
}
