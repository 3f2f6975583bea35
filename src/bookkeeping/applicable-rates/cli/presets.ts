import type { Command } from "commander";
import type { CommandIo, OutputOptions } from "../../../platform/cli/command.ts";
import { type Column, formatJson, table } from "../../../platform/cli/output.ts";
import { presetJson } from "../json.ts";
import { type Preset, presets } from "../presets.ts";
import { periodWords } from "../rules.ts";

/** Adds `kurs rates presets`. */
export function presetsCommand(rates: Command, { print }: CommandIo): void {
  rates
    .command("presets")
    .description("list the sources and the rules that laws name, for --as")
    .option("--json", "print them as JSON")
    .addHelpText("after", "\nExamples:\n  $ kurs rates presets\n  $ kurs rates presets --json")
    .action(({ json }: OutputOptions) =>
      print(json ? formatJson(presets.map(presetJson)) : describe()),
    );
}

const columns: readonly Column<Preset>[] = [
  ["PRESET", ({ name }) => name],
  [
    "PAIRS",
    ({ currency: { place, symbol } }) => (place === "base" ? `${symbol}/…` : `…/${symbol}`),
  ],
  ["SOURCE", ({ source }) => source],
  ["RULE", ({ rule, period }) => (period === undefined ? rule : `${rule}, ${periodWords[period]}`)],
  ["FOR", ({ purpose }) => purpose],
];

function describe(): string {
  const laws = presets.flatMap(({ name, law, says, readAt, readOn }) => [
    "",
    `${name}: ${law}`,
    `  ${says}`,
    `  read on ${readOn} at ${readAt}`,
  ]);
  return [
    table(columns, presets),
    ...laws,
    "",
    "These are no advice: laws change, and leave choices. Check that the rule applies to you.",
  ].join("\n");
}
