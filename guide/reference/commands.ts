import type { Command } from "commander";
import { type CommandDeps, createProgram } from "../../src/app/commands.ts";
import { version } from "../../src/platform/shared/program/version.ts";
import { sourceNames } from "../../src/rates/sources/fetching/registry.ts";

/** The help of every command, as `kurs NAME --help` prints it. */
export function commandsPage(): string {
  const lines: string[] = [];
  const print = (text: string) => void lines.push(text);
  // Help runs no command, and only commands use the other dependencies.
  const known = { sourceKeys: sourceNames.known, publishers: [], knownSources: () => [] };
  const deps = { version, print, printError: print, ...known };
  const program = createProgram(deps as unknown as CommandDeps, () => undefined);

  const helpOf = (command: Command): string => {
    lines.length = 0;
    command.outputHelp();
    return lines.join("\n");
  };
  const sections = commandsIn(program, "").map(
    ([name, command]) => `## ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``,
  );
  return [
    "# Commands and their help",
    "What `kurs NAME --help` prints for each command. [All in one table](../commands.md).",
    ...sections,
    "",
  ].join("\n\n");
}

/** A command and those below it, each with its whole name. */
function commandsIn(command: Command, group: string): readonly (readonly [string, Command])[] {
  const name = `${group} ${command.name()}`.trim();
  return [[name, command], ...command.commands.flatMap((below) => commandsIn(below, name))];
}
