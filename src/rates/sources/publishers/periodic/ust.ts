import { DAY_MS } from "../../../../platform/shared/clock.ts";
import { timestamp } from "../../../../platform/shared/instant.ts";
import { membersOf, parseJsonText, requireList, textOf } from "../formats/json-text.ts";
import { lineOf } from "../formats/source-lines.ts";
import { type Parse, ParseError, type ToInstant } from "../publisher.ts";
import { isTreasuryRepetition, treasuryCurrencies } from "./treasury-currencies.ts";

/**
 * Reads the US Treasury's quarterly Reporting Rates of Exchange (fiscaldata.treasury.gov, dataset
 * treasury-reporting-rates-exchange): for the latest `record_date`, the units of a currency per
 * US dollar. "An amendment to a currency exchange rate for the quarter will appear on the
 * report as a separate line with a new effective date", so that date is the rate's.
 */
export const parseUst: Parse = ([response], momentOf) => {
  const { data } = membersOf(parseJsonText(response));
  const rows = requireList(data, "data").map(rowOf);
  // A wrong record date in the future must not hide the current quarter.
  const tomorrow = timestamp((response?.receivedMs ?? 0) + DAY_MS).slice(0, 10);
  const dates = rows.map(({ recordDate }) => recordDate).filter((date) => date <= tomorrow);
  const latest = dates.sort().at(-1) ?? "";
  return rows
    .filter(({ recordDate }) => recordDate >= latest || momentOf(recordDate) === undefined)
    .flatMap((row) => linesOfRow(row, momentOf));
};

/**
 * Reads the rows of every quarter.
 *
 * @throws {ParseError} the response is a page of several: some rows would be missing.
 */
export const parseUstArchive: Parse = (responses, momentOf) =>
  responses.flatMap((response) => {
    const { data, meta } = membersOf(parseJsonText(response));
    const pages = textOf(membersOf(meta)["total-pages"]);
    if (pages !== "0" && pages !== "1") {
      throw new ParseError(`the response is a page of ${pages ?? "an unknown number"}`);
    }
    return requireList(data, "data").flatMap((row) => linesOfRow(rowOf(row), momentOf));
  });

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

function linesOfRow(row: Row, momentOf: ToInstant): ReturnType<Parse> {
  const { recordDate, effectiveDate, name, rate } = row;
  if (isTreasuryRepetition(name)) return [];
  const quote = treasuryCurrencies.get(name);
  const asOf = momentOf(recordDate) && momentOf(effectiveDate);
  return [lineOf({ base: "USD", quote, rate, asOf }, name)];
}
