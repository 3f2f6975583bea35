import type { Command } from "commander";
import type { CommandIo, OutputOptions } from "../cli/command.ts";
import type { MailServerCheck } from "../mail/mailer.ts";
import { neverFetched, readSourceStatus } from "../rates/refresh.ts";
import type { RateSource } from "../rates/source.ts";
import type { SourceState } from "../rates/store.ts";
import { visibleLine } from "../shared/visible-text.ts";
import type { Examination } from "./facts.ts";
import { checkDirectory, type DirectoryFacts } from "./rules/directory.ts";
import { type Finding, findingsOf } from "./rules/finding.ts";
import { checkMail, checkOtherRates, checkSources } from "./rules/services.ts";
import { type CheckedSettings, checkSettings } from "./rules/settings.ts";
import { checkStore, type RatesOfSource } from "./rules/store.ts";

/** The doctor's sources of facts. */
export interface DoctorDeps {
  /** For example Node.js 26.10.0. */
  readonly runtime: string;
  /** The configuration, or every problem with it. */
  readonly settings: () => DoctorSettings | { readonly problems: readonly string[] };
  /** Examines the store and changes nothing. */
  readonly examineStore: (isThorough: boolean) => Promise<Examination>;
  /** @returns undefined when the data directory does not exist. */
  readonly inspectDirectory: () => DirectoryFacts | undefined;
  /** Logs in to the mail server, without sending anything. */
  readonly checkMailServer: () => Promise<MailServerCheck>;
}

export interface DoctorSettings extends CheckedSettings {
  readonly rateSources: readonly string[];
}

export interface DoctorCommandUses extends CommandIo {
  readonly version: string;
  readonly doctor: DoctorDeps;
  /** The sources of these keys, in this order. */
  readonly sourcesOf: (keys: readonly string[]) => readonly RateSource[];
}

/** Adds `kurs doctor`. */
export function doctorCommand(
  program: Command,
  uses: DoctorCommandUses,
  setExitCode: (code: number) => void,
): void {
  program
    .command("doctor")
    .description("check the installation, change nothing; exit code 1 when there is a problem")
    .option("--thorough", "also check indexes; for a large database it takes three times as long")
    .option("--json", "print the findings as JSON")
    .addHelpText("after", doctorExamples)
    .action(async (options: DoctorOptions) => setExitCode(await examine(uses, options)));
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

async function examine(
  uses: DoctorCommandUses,
  { thorough, json }: DoctorOptions,
): Promise<number> {
  const findings = await findAll(uses, thorough ?? false);
  const hasProblem = findings.some(({ level }) => level === "problem");
  if (json) uses.print(JSON.stringify(findings, undefined, 2));
  else for (const finding of findings) uses.print(lineOf(finding));
  return hasProblem ? 1 : 0;
}

/** Columns have fixed widths, so that each line can be read and searched by itself. */
function lineOf({ level, subject, text }: Finding): string {
  return `${level.padEnd(8)} ${subject.padEnd(10)} ${visibleLine(text)}`;
}

async function findAll(uses: DoctorCommandUses, isThorough: boolean): Promise<readonly Finding[]> {
  const { doctor, version } = uses;
  const program = findingsOf("program").ok(`Kurs ${version} on ${doctor.runtime}`);
  const settings = doctor.settings();
  if ("problems" in settings) {
    const { problem, warning } = findingsOf("settings");
    const rest = warning("nothing else was checked: it depends on the configuration");
    return [program, ...settings.problems.map((text) => problem(text)), rest];
  }
  return [
    program,
    ...checkSettings(settings),
    ...findInDirectory(doctor),
    ...(await findInStore(uses, settings, isThorough)),
  ];
}

function findInDirectory({ inspectDirectory }: DoctorDeps): readonly Finding[] {
  const facts = inspectDirectory();
  return facts === undefined ? [] : checkDirectory(facts);
}

async function findInStore(
  { doctor, clock, sourcesOf }: DoctorCommandUses,
  { rateSources }: DoctorSettings,
  isThorough: boolean,
): Promise<readonly Finding[]> {
  const [examined, mailServer] = await Promise.all([
    doctor.examineStore(isThorough),
    doctor.checkMailServer(),
  ]);
  const { warning, problem } = findingsOf("database");
  if (examined.kind === "missing") {
    const advice = "The first start creates it.";
    return [warning(`there is ${examined.what}. ${advice}`), ...checkMail(mailServer, [])];
  }
  if (examined.kind === "failed") return [problem(examined.reason), ...checkMail(mailServer, [])];
  // Read after the examination: a running server keeps writing newer times.
  const nowMs = clock.nowMs();
  const { facts, sources: states, mails } = examined;
  const { rates = [] } = facts.books ?? {};
  const listed = { list: async () => withUnfetched(states ?? [], rates, nowMs) };
  const statuses = await readSourceStatus(listed, sourcesOf(rateSources), nowMs);
  const others = rates.filter(({ source }) => !rateSources.includes(source));
  return [
    ...checkStore(facts, nowMs),
    ...(states === undefined ? [] : checkSources(statuses, nowMs)),
    ...checkOtherRates(others, nowMs),
    ...checkMail(mailServer, mails ?? []),
  ];
}

/** Adds the sources whose rates are stored although they were never fetched. */
function withUnfetched(
  states: readonly SourceState[],
  rates: readonly RatesOfSource[],
  nowMs: number,
): SourceState[] {
  const fetched = new Set(states.map(({ source }) => source));
  const others = rates.filter(({ source }) => !fetched.has(source));
  return [...states, ...others.map((stored) => neverFetched(stored.source, nowMs, stored))];
}
