import { type Command, Option } from "commander";
import { CommandError, type CommandIo, type OpenStore } from "../../platform/cli/command.ts";
import { writeList } from "../../platform/cli/list-writer.ts";
import { quoted } from "../../platform/shared/text/visible-text.ts";
import { readUnitsByAccount, readUnitsByKeyAndDay } from "./export.ts";
import { accountUnitsJson, keyUnitsJson } from "./json.ts";
import { type BillingPeriod, billingPeriodAt, parseBillingPeriod } from "./rules.ts";
import type { UsageStore } from "./store.ts";

export interface UsageCommandDeps extends CommandIo {
  readonly openStore: OpenStore<{ readonly usage: UsageStore }>;
}

interface ExportOptions {
  readonly period?: string;
  readonly format: "csv" | "ndjson";
  readonly perKeyAndDay?: boolean;
}

/** Adds `kurs usage …`. */
export function usageCommands(program: Command, deps: UsageCommandDeps): void {
  program
    .command("usage")
    .description("export the units that accounts have used")
    .addHelpText("after", "\nExample:\n  $ kurs usage export --period 2026-11 > usage.csv")
    .command("export")
    .description("write every account's units in a billing period to stdout, for invoices")
    .option("--period <month>", "a month in UTC, such as 2026-11 (default: the current one)")
    .addOption(
      new Option("--format <format>", "one line for each row").choices(formats).default("csv"),
    )
    .option("--per-key-and-day", "one row for each API key and UTC day that has units")
    .addHelpText("after", exportExamples)
    .action((options: ExportOptions) => exportUsage(deps, options));
}

const formats = ["csv", "ndjson"] as const;

const exportExamples = `
Every account that was created before the period's end has a row, ordered by the account's id; with
--per-key-and-day only accounts with units have rows. Plan and quota are the present ones: Kurs does
not store those of past periods. Charges continue while the period lasts, so write invoices from a
period that has ended. Exit code 1 when the output is not complete.

In CSV an apostrophe precedes an email that a spreadsheet would run as a formula; NDJSON has every
email as it is.

Examples:
  $ kurs usage export --period 2026-11 > usage.csv
  $ kurs usage export --period 2026-11 --format ndjson --per-key-and-day`;

const accountColumns = ["account_id", "email", "plan", "quota_units", "units"] as const;

const keyColumns = [
  "account_id",
  "email",
  "plan",
  "date",
  "api_key_id",
  "key_prefix",
  "units",
] as const;

async function exportUsage(deps: UsageCommandDeps, options: ExportOptions): Promise<void> {
  const { openStore, clock, write } = deps;
  const period = periodOf(options.period, clock.nowMs());
  const { format } = options;
  await using store = await openStore();
  if (options.perKeyAndDay) {
    const pages = readUnitsByKeyAndDay(store, period);
    const rows = { columns: [], csvColumns: keyColumns, toJson: keyUnitsJson };
    await writeList(pages, { format }, rows, write);
  } else {
    const pages = readUnitsByAccount(store, period);
    const rows = { columns: [], csvColumns: accountColumns, toJson: accountUnitsJson };
    await writeList(pages, { format }, rows, write);
  }
}

/** @throws {CommandError} the period's name is invalid, or the period has not begun. */
function periodOf(name: string | undefined, nowMs: number): BillingPeriod {
  const current = billingPeriodAt(nowMs);
  if (name === undefined) return current;
  const period = parseBillingPeriod(name);
  if (period === undefined) {
    const rule = `want a month as YYYY-MM, such as ${current.name}`;
    throw new CommandError(`--period ${quoted(name)}: ${rule}`, 2);
  }
  if (period.startMs > nowMs) {
    const rule = `this period has not begun; the current one is ${current.name}`;
    throw new CommandError(`--period ${name}: ${rule}`, 2);
  }
  return period;
}
