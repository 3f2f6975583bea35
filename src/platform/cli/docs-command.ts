import type { Command } from "commander";
import { programFilesIn, readProgramFile } from "../shared/program/program-files.ts";
import { visibleLine } from "../shared/text/visible-text.ts";
import { CommandError, type CommandIo } from "./command.ts";
import { table } from "./output.ts";

/** Adds `kurs docs`. */
export function docsCommand(program: Command, { print, write }: CommandIo): void {
  program
    .command("docs")
    .argument("[name]", "one of those that the list without a name has")
    .description("list the documents and configurations that Kurs brings along, or print one")
    .addHelpText("after", docsExamples)
    .action(async (name?: string) => {
      if (name === undefined) return print(table(columns, shippedFiles()));
      const wanted = name.replace(/^docs\//, "").replace(/\.md$/, "");
      const found = shippedFiles().find((file) => file.name === wanted);
      if (found === undefined) {
        throw new CommandError(`there is no document ${visibleLine(name)}: "kurs docs" lists them`);
      }
      // Output shows a tab as an escape, as it comes from outside elsewhere.
      await write(readProgramFile(found.path).toString().replaceAll("\t", "    "));
    });
}

const docsExamples = `
It needs no server and no database.

Examples:
  $ kurs docs
  $ kurs docs settings
  $ kurs docs deploy/kurs.service > /etc/systemd/system/kurs.service`;

interface ShippedFile {
  readonly name: string;
  readonly path: string;
}

/** The documents, and the configurations for systemd, proxies and monitoring. */
function shippedFiles(): readonly ShippedFile[] {
  const documents = programFilesIn("docs").filter((path) => path.endsWith(".md"));
  const configurations = programFilesIn("deploy").map((path) => `deploy/${path}`);
  return [
    ...documents.map((path) => ({ name: path.replace(/\.md$/, ""), path: `docs/${path}` })),
    ...configurations.map((path) => ({ name: path, path })),
  ].sort((one, other) => (one.name < other.name ? -1 : 1));
}

const columns = [
  ["NAME", ({ name }: ShippedFile) => name],
  ["TITLE", ({ path }: ShippedFile) => readTitle(path)],
] as const;

function readTitle(path: string): string {
  if (!path.endsWith(".md")) return "";
  return /^# (.+)$/m.exec(readProgramFile(path).toString())?.[1] ?? "";
}
