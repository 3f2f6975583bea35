import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { Command } from "commander";
import type { CommandIo, OutputOptions } from "../platform/cli/command.ts";
import { formatList, table } from "../platform/cli/output.ts";
import type { Config } from "./config.ts";
import { type Environment, givenText } from "./environment.ts";
import { type SettingName, settingNames, settingOf } from "./settings.ts";

export interface SettingsCommandDeps extends CommandIo {
  /** @throws {ConfigError} */
  readonly settings: () => Config;
  readonly environment: Environment;
  /** The options with which Node.js was started. */
  readonly nodeOptions: readonly string[];
}

/** Adds `kurs settings`. */
export function settingsCommand(program: Command, deps: SettingsCommandDeps): void {
  program
    .command("settings")
    .description("show every setting, its value, and where the value came from")
    .option("--json", "print them as JSON")
    .addHelpText("after", settingsExamples)
    .action((options: OutputOptions) => {
      const { settings, environment, nodeOptions, print } = deps;
      const files = envFilesIn(nodeOptions);
      const config = settings();
      const shown = settingNames.map((name) => shownSetting(name, { config, environment, files }));
      print(formatList(shown, options, { toJson: (setting) => setting, columns, none: "" }));
    });
}

const settingsExamples = `
It reads its own environment: run it with the server's. Secrets are shown as "set" or "unset". The
meanings: docs/settings.md.

Examples:
  $ kurs settings
  $ kurs settings --json`;

/** Every setting with its default, for the help of a server. */
export function settingsHelp(): string {
  const defaultOf = (name: SettingName) => {
    const { value, without } = settingOf(name);
    return value ?? `(${without})`;
  };
  const rows = table(
    [
      ["SETTING", (name: SettingName) => name],
      ["DEFAULT", defaultOf],
    ],
    settingNames,
  );
  return `\n${rows}\n\nSettings are environment variables. "kurs docs settings" explains each.`;
}

interface ShownSetting {
  readonly name: SettingName;
  readonly value: string;
  /** Where the value came from. */
  readonly from: string;
}

const columns = [
  ["NAME", ({ name }: ShownSetting) => name],
  ["VALUE", ({ value }: ShownSetting) => value],
  ["FROM", ({ from }: ShownSetting) => from],
] as const;

interface EnvFile {
  readonly path: string;
  readonly variables: Environment;
}

function shownSetting(
  name: SettingName,
  uses: {
    readonly config: Config;
    readonly environment: Environment;
    readonly files: readonly EnvFile[];
  },
): ShownSetting {
  const { environment, files, config } = uses;
  const { isSecret, isShared, value, without } = settingOf(name);
  const secretFile = isSecret && givenText(environment, `${name}_FILE`);
  if (secretFile) return { name, value: "set", from: `the file ${secretFile}` };
  const names = isShared ? [name.toLowerCase(), name] : [name];
  const given = names.find((one) => givenText(environment, one) !== undefined);
  if (given === undefined && !(name === "RATE_SOURCES" && environment[name] !== undefined)) {
    const derived = derivedDefaults[name]?.(config);
    const byDefault = value ?? derived ?? `(${without})`;
    return { name, value: isSecret ? "unset" : byDefault, from: "default" };
  }
  const text = givenText(environment, given ?? name) ?? "(none)";
  // Node.js prefers the environment to its files, and of several files the last one.
  const file = files.findLast(({ variables }) => {
    return variables[given ?? name] === environment[given ?? name];
  });
  return {
    name,
    value: isSecret ? "set" : text,
    from: file === undefined ? "environment" : `env file ${file.path}`,
  };
}

const derivedDefaults: Partial<Record<SettingName, (config: Config) => string>> = {
  MAIL_FROM: ({ mailFrom }) => `${mailFrom.name} <${mailFrom.address}>`,
  RATE_SOURCES: ({ rateSources }) => rateSources.join(","),
  BACKUP_DIR: ({ backupDirectory }) => backupDirectory,
};

/** The files of `node --env-file`, whose variables are in the environment already. */
function envFilesIn(nodeOptions: readonly string[]): readonly EnvFile[] {
  return nodeOptions.flatMap((option, index) => {
    const [, path = nodeOptions[index + 1] ?? ""] =
      /^--env-file(?:-if-exists)?(?:=(.*))?$/.exec(option) ?? [];
    if (!option.startsWith("--env-file")) return [];
    try {
      return [{ path, variables: parseEnv(readFileSync(path, "utf8")) }];
    } catch {
      // It has been removed since the start, or it is one that need not exist.
      return [];
    }
  });
}
