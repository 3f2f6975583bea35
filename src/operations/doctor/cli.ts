import type { Command } from "commander";
import { CommandError, type CommandIo, type OutputOptions } from "../../platform/cli/command.ts";
import { formatJson } from "../../platform/cli/output.ts";
import type { Finding } from "../../platform/shared/finding.ts";
import { visibleLine } from "../../platform/shared/text/visible-text.ts";
import type { DoctorDeps, DoctorSettings } from "./examine.ts";

export interface DoctorCommandDeps extends CommandIo, DoctorDeps {
  /** @throws {ConfigError} whose problems become the doctor's findings. */
  readonly settings: () => DoctorSettings & { readonly host: string; readonly port: number };
}

/** Adds `kurs doctor` and `kurs health`. */
export function doctorCommands(
  program: Command,
  deps: DoctorCommandDeps,
  setExitCode: (code: number) => void,
): void {
  program
    .command("doctor")
    .description("check the installation, change nothing; exit code 1 when there is a problem")
    .option("--thorough", "also check indexes and which keys may read; takes three times as long")
    .option("--json", "print the findings as JSON")
    .addHelpText("after", doctorExamples)
    .action(async ({ thorough, json }: DoctorOptions) => {
      // Loaded only here: it needs the statements of every wing.
      const { examine } = await import("./examine.ts");
      const findings = await examine(deps, thorough ?? false);
      deps.print(json ? formatJson(findings) : findings.map(formatFinding).join("\n"));
      setExitCode(findings.some(({ level }) => level === "problem") ? 1 : 0);
    });

  program
    .command("health")
    .description("ask the server on HOST and PORT whether it is alive; exit code 1 when it is not")
    .addHelpText("after", healthExample)
    .action(() => reportHealth(deps));
}

async function reportHealth({ settings, print }: DoctorCommandDeps): Promise<void> {
  const { host, port } = settings();
  if (port === 0) throw new CommandError("PORT is 0: set it to the server's port", 2);
  // Loaded only here: node:http takes 15 MB.
  const { checkHealth } = await import("./health.ts");
  const { url, problem } = await checkHealth(host, port);
  if (problem !== undefined) {
    throw new CommandError(`${url}: ${problem}; is the server running, and on this PORT?`);
  }
  print(`${url}: alive`);
}

const healthExample = `
It asks /healthz of a server on this machine, with the server's environment: for the health check of
a container. A load balancer asks /readyz itself.

Example:
  $ PORT=8080 kurs health`;

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
function formatFinding({ level, subject, text }: Finding): string {
  return `${level.padEnd(8)} ${subject.padEnd(10)} ${visibleLine(text)}`;
}
