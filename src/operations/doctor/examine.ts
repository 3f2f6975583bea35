import { statSync } from "node:fs";
import type { Cron } from "croner";
import { findInCustomers, findInMailServer } from "../../customers/findings.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { type Finding, findingsOf } from "../../platform/shared/finding.ts";
import { timestamp } from "../../platform/shared/instant.ts";
import { ConfigError, StartupError } from "../../platform/shared/program/start-error.ts";
import type { StoreSettings } from "../../platform/storage/settings.ts";
import type { Publisher } from "../../rates/documents.ts";
import { findInSources } from "../../rates/findings.ts";
import { checkBackups, type LastVerified } from "./backups.ts";
import { checkDirectory, inspectDirectory, isReadableByOthers } from "./directory.ts";
import { examineStore } from "./examine-store.ts";
import { type CheckedSettings, checkSettings } from "./settings.ts";
import { checkClock, readKnownTimes } from "./store.ts";

export interface DoctorSettings extends CheckedSettings, StoreSettings {
  readonly rateSources: readonly string[];
  readonly publishers: readonly Publisher[];
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
  const findings = await Promise.all([
    found("settings", () => {
      if (keyFile === undefined || !isReadableByOthers(keyFile)) return [];
      const text = `other users of this machine can read the signing key: chmod 600 ${keyFile}`;
      return [findingsOf("settings").warning(text)];
    }),
    found("files", () => (isEmbedded ? findInDirectories(settings) : [])),
    found("backups", () => (isEmbedded ? findInBackups(settings, deps) : [])),
    found("database", () => findInStore(settings, deps, isThorough)),
    findInMailServer(settings),
  ]);
  return [program, ...checkSettings(settings), ...findings.flat()];
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
  return checkBackups(backupDirectory, verified, {
    now: timestamp(nowMs),
    isScheduled: backupSchedule !== undefined,
    dueAt: dueAt?.toISOString(),
  });
}

async function findInStore(
  settings: DoctorSettings,
  deps: DoctorDeps,
  isThorough: boolean,
): Promise<readonly Finding[]> {
  return await examineStore(settings, isThorough, async (engine, databaseNowMs) => {
    const times = await readKnownTimes(engine, databaseNowMs);
    return [
      checkClock(times, deps.clock.nowMs()),
      ...(await findInSources(engine, settings.rateSources, { ...deps, ...settings })),
      ...(await findInCustomers(engine, settings.database.engine, isThorough)),
    ];
  });
}
