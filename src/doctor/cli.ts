import type { Command } from "commander";
import type { CommandIo, OutputOptions } from "../cli/command.ts";
import { formatJson } from "../cli/output.ts";
import { visibleLine } from "../shared/visible-text.ts";
import { type DoctorDeps, examine } from "./examine.ts";
import type { Finding } from "./rules/finding.ts";

/** Adds `kurs doctor`. */
export function doctorCommand(
  program: Command,
  deps: CommandIo & DoctorDeps,
  setExitCode: (code: number) => void,
): void {
  program
    .command("doctor")
    .description("check the installation, change nothing; exit code 1 when there is a problem")
    .option("--thorough", "also check indexes; for a large database it takes three times as long")
    .option("--json", "print the findings as JSON")
    .addHelpText("after", doctorExamples)
    .action(async ({ thorough, json }: DoctorOptions) => {
      const findings = await examine(deps, thorough ?? false);
      deps.print(json ? formatJson(findings) : findings.map(lineOf).join("\n"));
      setExitCode(findings.some(({ level }) => level === "problem") ? 1 : 0);
    });
}

const doctorExamples = `
It reads the configuration from its own environment: run it with the server's. The server may be
running or not. It needs no network except for SMTP_URL, and shows no password.

Examples:
  $ kurs doctor
  $ kurs doctor --json`;

interface DoctorOptions extends OutputOptions {
  readonly thorough?: boolean;
}

/** Columns have fixed widths, so that each line can be read and searched by itself. */
function lineOf({ level, subject, text }: Finding): string {
  return `${level.padEnd(8)} ${subject.padEnd(10)} ${visibleLine(text)}`;
}
