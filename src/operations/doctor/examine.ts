import { statSync } from "node:fs";
import type { Cron } from "croner";
import { checkMailServer } from "../../customers/mail/transport/create-mailer.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { ConfigError, StartupError } from "../../platform/shared/program/start-error.ts";
import type { StoreSettings } from "../../platform/storage/settings.ts";
import { sourcesOf } from "../../rates/sources/fetching/registry.ts";
import { neverFetched, readSourceStatus } from "../../rates/sources/refresh.ts";
import type { SourceState } from "../../rates/sources/store.ts";
import type { Examination } from "./facts.ts";
import { inspectDirectory, isReadableByOthers } from "./fs.ts";
import { checkBackups, type LastVerified } from "./rules/backups.ts";
import { checkDirectory } from "./rules/directory.ts";
import { type Finding, findingsOf } from "./rules/finding.ts";
import { checkMail, checkOtherRates, checkSources } from "./rules/services.ts";
import { type CheckedSettings, checkSettings, checkSigningKey } from "./rules/settings.ts";
import { checkStore, type RatesOfSource } from "./rules/store.ts";

export interface DoctorSettings extends CheckedSettings, StoreSettings {
  readonly rateSources: readonly string[];
  readonly backupSchedule: Cron | undefined;
  readonly signingKeyFile: string | undefined;
}

export interface DoctorDeps {
  readonly version: string;
  readonly clock: Clock;
  /** Reads which backup of a directory was verified last. @throws {StartupError} */
  readonly readVerified: (
    directory: string,
    how: { readonly readsContent: boolean },
  ) => Promise<LastVerified | undefined>;
  /** @throws {ConfigError} whose problems become findings. */
  readonly settings: () => DoctorSettings;
}

/**
 * Examines the installation and changes nothing.
 *
 * @param isThorough also checks the indexes of an embedded database.
 */
export async function examine(deps: DoctorDeps, isThorough: boolean): Promise<readonly Finding[]> {
  const about = `Kurs ${deps.version} on Node.js ${process.versions.node}`;
  const program = findingsOf("program").ok(about);
  let settings: DoctorSettings;
  try {
    settings = deps.settings();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problem, warning } = findingsOf("settings");
    const rest = warning("nothing else was checked: it depends on the configuration");
    return [program, ...error.problems.map(problem), rest];
  }
  const { signingKeyFile: keyFile } = settings;
  const isEmbedded = settings.database.engine === "sqlite";
  return [
    program,
    ...checkSettings(settings),
    ...(await found("settings", () =>
      keyFile === undefined ? [] : checkSigningKey(keyFile, isReadableByOthers(keyFile)),
    )),
    ...(await found("files", () => (isEmbedded ? findInDirectories(settings) : []))),
    ...(await found("backups", () => (isEmbedded ? findInBackups(settings, deps) : []))),
    ...(await found("database", () => findInServices(settings, deps, isThorough))),
  ];
}

/** Where the system rejects a check, that is its finding, and the other checks continue. */
async function found(
  subject: string,
  check: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    const advice = "Run the doctor as the server's user, or correct DATA_DIR.";
    return [findingsOf(subject).problem(`cannot be checked: ${error.message}. ${advice}`)];
  }
}

/** Looks at the data directory, and at that of backups on another disk. */
function findInDirectories(settings: DoctorSettings): readonly Finding[] {
  const paths = [settings.dataDirectory, settings.backupDirectory];
  const ofDisks = Map.groupBy(paths, (path) => statSync(path, { throwIfNoEntry: false })?.dev);
  return [...ofDisks.values()].flatMap(([path = ""]) => {
    const directory = inspectDirectory(path);
    return directory === "missing" ? [] : checkDirectory(path, directory);
  });
}

async function findInBackups(
  { backupDirectory, backupSchedule }: DoctorSettings,
  { readVerified, clock }: DoctorDeps,
): Promise<readonly Finding[]> {
  const nowMs = clock.nowMs();
  let verified: LastVerified | undefined;
  try {
    verified = await readVerified(backupDirectory, { readsContent: true });
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return [findingsOf("backups").problem(error.message)];
  }
  // Of two scheduled times, the later one's backup may be on its way.
  const [, dueAt] = backupSchedule?.previousRuns(2, new Date(nowMs)) ?? [];
  return checkBackups({
    directory: backupDirectory,
    isScheduled: backupSchedule !== undefined,
    verified,
    now: timestamp(nowMs),
    dueAt: dueAt?.toISOString(),
  });
}

async function findInServices(
  settings: DoctorSettings,
  { clock, version }: DoctorDeps,
  isThorough: boolean,
): Promise<readonly Finding[]> {
  const [examined, mailServer] = await Promise.all([
    examineStore(settings, isThorough),
    checkMailServer(settings),
  ]);
  const { warning, problem } = findingsOf("database");
  if (examined.kind === "missing") {
    const advice = "The first start creates it.";
    return [warning(`there is ${examined.what}. ${advice}`), ...checkMail(mailServer, [])];
  }
  if (examined.kind === "failed") return [problem(examined.reason), ...checkMail(mailServer, [])];
  // Read after the examination: a running server keeps writing newer times.
  const nowMs = clock.nowMs();
  const { rateSources } = settings;
  const { facts, sources: states, pairsBehind = [], mails } = examined;
  const { rates = [] } = facts.totals ?? {};
  const listed = {
    list: async () => withUnfetched(states ?? [], rates, nowMs),
    pairsBehind: async () => pairsBehind,
  };
  const active = sourcesOf(rateSources, { clock, version });
  const statuses = await readSourceStatus(listed, active, nowMs);
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

/** Examines the configured store without changing it. */
export async function examineStore(
  { dataDirectory, database }: Pick<StoreSettings, "dataDirectory" | "database">,
  isThorough: boolean,
): Promise<Examination> {
  if (database.engine === "postgres") {
    const { examinePostgres } = await import("./postgres.ts");
    return await examinePostgres(database.hosts);
  }
  const { examineSqlite } = await import("./sqlite.ts");
  return await examineSqlite(dataDirectory, isThorough);
}
