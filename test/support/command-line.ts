import { createReadStream, fstatSync, openSync } from "node:fs";
import { Readable } from "node:stream";
import { format } from "node:util";
import { compose } from "../../src/app/compose.ts";
import { readConfig } from "../../src/app/config.ts";
import { limits } from "../../src/app/limits.ts";
import { type Clock, systemClock } from "../../src/platform/shared/clock.ts";
import { ConfigError, WRONG_USE } from "../../src/platform/shared/program/start-error.ts";
import { sentenceOf } from "../../src/platform/shared/program/system-error.ts";
import { version } from "../../src/platform/shared/program/version.ts";
import { createSecrets } from "../../src/platform/shared/secrets.ts";
import { visible } from "../../src/platform/shared/text/visible-text.ts";
import { sourceNames, sourcesOf } from "../../src/rates/sources/fetching/registry.ts";
import type { RateSource } from "../../src/rates/sources/source.ts";
import { assertNoSecrets } from "./log-secrets.ts";
import type { Ended, ProgramOptions } from "./process.ts";

export type CommandOptions = Pick<ProgramOptions, "dataDirectory" | "env" | "input"> & {
  /** By default the system's. */
  readonly clock?: Clock;
  /** By default those of the catalogue. */
  readonly sourcesOf?: (keys: readonly string[]) => readonly RateSource[];
};

const secrets = createSecrets();

/**
 * Runs one command of the command line in this process, as `kurs` of process.ts does in one of its
 * own, which costs 0.2 s of processor time. `test/platform/cli/every-command.test.ts` also runs each
 * command in a real process.
 */
export async function kurs(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const ended = await kursUnchecked(args, options);
  assertNoSecrets(ended.stdout + ended.stderr);
  return ended;
}

/** The same for a command that prints the SHA-256 of a document, which looks like a secret. */
export async function kursUnchecked(
  args: readonly string[],
  { dataDirectory, env, input = "", clock = systemClock, ...options }: CommandOptions = {},
): Promise<Ended> {
  const directory = dataDirectory === undefined ? {} : { DATA_DIR: dataDirectory };
  const environment = { RATE_SOURCES: "", ...directory, ...env };
  const settings = () => readConfig(sourceNames, environment);
  const output = { stdout: "", stderr: "" };
  const printTo = (stream: "stdout" | "stderr") => (text: string) => {
    output[stream] += `${visible(text)}\n`;
  };
  const printError = printTo("stderr");
  const program = compose(settings, {
    clock,
    secrets,
    random: Math.random,
    limits,
    fetchedSources:
      options.sourcesOf ??
      ((keys, { publishers, sourceTokens: tokens }) =>
        sourcesOf(keys, { clock, version, publishers, tokens })),
  });
  const runs = (await program.loadCommands())(args, {
    environment,
    nodeOptions: [],
    serve: async () => {
      throw new Error(`no process serves on port ${settings().port}`);
    },
    ask: async (question) => {
      output.stderr += question;
      return String(input).split("\n")[0] ?? "";
    },
    openFile: (path) => openFile(path, input),
    untilStopped: () => new AbortController().signal,
    finishWithoutReader: () => undefined,
    print: printTo("stdout"),
    printError,
    write: async (text) => {
      output.stdout += visible(text);
    },
    writeBytes: async (bytes) => {
      output.stdout += Buffer.from(bytes).toString();
    },
    showProgress: () => undefined,
  });
  const exitCode = await runs.catch((error: unknown) => {
    const sentence = sentenceOf(error);
    printError(sentence ? `kurs: ${sentence}` : format("kurs: unexpected error:", error));
    return error instanceof ConfigError ? WRONG_USE : 1;
  });
  return { exitCode, signal: null, ...output };
}

function openFile(path: string, input: string | Uint8Array) {
  const fd = path === "-" ? undefined : openSync(path, "r");
  const bytes =
    fd === undefined ? Readable.from([Buffer.from(input)]) : createReadStream(path, { fd });
  const sizeBytes = fd === undefined ? undefined : fstatSync(fd).size;
  return { bytes, sizeBytes, [Symbol.dispose]: () => void bytes.destroy() };
}
