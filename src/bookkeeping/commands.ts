import type { Command } from "commander";
import { type Publisher, readRateFile, readTextLines, snapshots } from "../rates/documents.ts";
import { forCommand } from "./applicable-rates/cli/for.ts";
import { presetsCommand } from "./applicable-rates/cli/presets.ts";
import { evidenceCommand } from "./evidence/cli/make.ts";
import type { EvidenceDeps } from "./evidence/cli/verify.ts";
import { type ExportCommandDeps, exportCommand } from "./export/cli.ts";
import { type DocumentCommandDeps, documentCommand } from "./export/document-cli.ts";
import { atCommand } from "./provenance/cli/at.ts";
import { historyCommand } from "./provenance/cli/history.ts";
import { traceCommand } from "./provenance/cli/trace.ts";
import { verifyCommand } from "./provenance/cli/verify.ts";
import { createDocumentReader } from "./provenance/documents/reader.ts";
import { recheckCommand } from "./recheck/cli.ts";

export { exportCommand };

export type BookkeepingCommandDeps = Omit<
  ExportCommandDeps & DocumentCommandDeps & EvidenceDeps,
  "documents" | "readRateFile" | "readTextLines"
> & { readonly publishers: readonly Publisher[] };

/** Adds the commands of `kurs rates …` on where figures came from, and on evidence. */
export function bookkeepingCommands(
  rates: Command,
  deps: BookkeepingCommandDeps,
  setExitCode: (code: number) => void,
): void {
  const documents = createDocumentReader(deps.publishers, snapshots);
  const all = { ...deps, documents, readRateFile, readTextLines };
  historyCommand(rates, all);
  atCommand(rates, all);
  traceCommand(rates, all, setExitCode);
  verifyCommand(rates, all, setExitCode);
  forCommand(rates, all, setExitCode);
  presetsCommand(rates, all);
  recheckCommand(rates, all, setExitCode);
  documentCommand(rates, all);
  evidenceCommand(rates, all, setExitCode);
}
