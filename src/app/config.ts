import { isIP } from "node:net";
import { join } from "node:path";
import { Cron } from "croner";
import {
  type CustomerSettings,
  LIFETIME_DAYS_MAX,
  MAX_PLAN_UNITS,
  parseMailFrom,
  registrations,
  smtpUrlProblems,
} from "../customers/settings.ts";
import type { OperationSettings } from "../operations/settings.ts";
import { BACKUPS } from "../operations/settings.ts";
import { type LogLevel, logLevels } from "../platform/log/levels.ts";
import type { Decimal } from "../platform/shared/decimal.ts";
import { ConfigError } from "../platform/shared/program/start-error.ts";
import {
  type DatabaseSettings,
  databaseOptionProblems,
  parseDatabaseUrl,
  type StoreSettings,
} from "../platform/storage/settings.ts";
import { parseSigningKey, type RateSettings, readSourcesFile } from "../rates/settings.ts";
import { type Environment, entriesOf, givenText, readersOf } from "./environment.ts";
import { misspelled } from "./settings.ts";
import { trustedProxiesOf } from "./trusted-proxies.ts";

/** The operator's settings, all validated before anything starts. */
export interface Config extends StoreSettings, CustomerSettings, RateSettings, OperationSettings {
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
  /** Where clients reach the service, without a trailing slash; unset: where it listens. */
  readonly publicUrl: string | undefined;
  /** The maximum number of open client connections. */
  readonly connectionsMax: number;
  /** How long a node continues to serve after a stop signal, no longer ready. */
  readonly shutdownDelaySeconds: number;
  /** Addresses, networks or proxy-addr's names of the proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins of pages that may call MCP, besides PUBLIC_URL's and loopback ones. */
  readonly allowedOrigins: readonly string[];
  /** Where metrics are scraped; separate from the clients' host unless set to the same. */
  readonly metricsHost: string;
  /** 0: a free port; unset: no metrics. */
  readonly metricsPort: number | undefined;
  readonly logLevel: LogLevel;
  /** By the key of the source that wants it. */
  readonly sourceTokens: Readonly<Record<string, string>>;
  /** How publishers are reached where not directly, in the form that node:http takes. */
  readonly proxies: Readonly<Record<"HTTPS_PROXY" | "NO_PROXY", string | undefined>> | undefined;
  /** The file of the key that signs rates; unset: rates are not signed. */
  readonly signingKeyFile: string | undefined;
}

/** The known sources, and those that are active when the operator names none. */
export interface SourceNames {
  readonly known: readonly string[];
  readonly onByDefault: readonly string[];
}

/** The variables of this process. */
export const processEnvironment: Environment = process.env;

/**
 * Reads the configuration. An empty variable counts as unset.
 *
 * @throws {ConfigError} with every problem at once.
 */
export function readConfig(sources: SourceNames, environment = processEnvironment): Config {
  const problems = misspelled(environment);
  const readers = readersOf(environment, problems);
  const { textOf, secretOf, integerOf, optionalIntegerOf, choiceOf, booleanOf } = readers;

  const publicUrl = textOf("PUBLIC_URL")?.replace(/\/+$/, "");
  if (publicUrl !== undefined && hasCredentials(publicUrl)) {
    problems.push(
      "PUBLIC_URL: must be an address without a name or password, which everybody sees",
    );
  } else if (publicUrl !== undefined && !isWebAddress(publicUrl)) {
    readers.reject("PUBLIC_URL", "an address such as https://rates.example.org", publicUrl);
  }
  for (const name of ["HOST", "METRICS_HOST"] as const) {
    if (isHost(textOf(name))) continue;
    readers.reject(name, "an address or a name without a port", textOf(name));
  }
  const trustedProxies = trustedProxiesOf(readers, problems);
  const origins = "origins such as https://app.example.org";
  const allowedOrigins = readers.listOf("ALLOWED_ORIGINS", isOrigin, origins);

  const { publishers, names, ofNames } = publishersOf(readers, sources, problems);
  const dataDirectory = textOf("DATA_DIR");
  const database = databaseOf(secretOf("DATABASE_URL"), problems);
  const smtpUrl = secretOf("SMTP_URL");
  for (const problem of smtpUrlProblems(smtpUrl)) problems.push(`SMTP_URL: ${problem}`);
  const config: Config = {
    host: textOf("HOST"),
    port: integerOf("PORT", 0, 65_535),
    dataDirectory,
    database,
    backupDirectory: textOf("BACKUP_DIR") ?? join(dataDirectory, BACKUPS),
    backupSchedule: backupScheduleOf(readers, database, problems),
    backupsKept: integerOf("BACKUP_KEEP", 1, 10_000),
    publicUrl,
    freePlanUnits: optionalIntegerOf("PLAN_FREE_UNITS", 0, MAX_PLAN_UNITS),
    connectionsMax: integerOf("MAX_CONNECTIONS", 1, 1_000_000),
    shutdownDelaySeconds: integerOf("SHUTDOWN_DELAY_SECONDS", 0, 300),
    authCallsPerWindow: integerOf("AUTH_LIMIT", 1, 1_000_000),
    authWindowSeconds: integerOf("AUTH_WINDOW_SECONDS", 1, 86_400),
    requireVerifiedEmail: booleanOf("REQUIRE_VERIFIED_EMAIL"),
    registration: choiceOf("REGISTRATION", registrations),
    keyMaxAgeDays: optionalIntegerOf("KEY_MAX_AGE_DAYS", 1, LIFETIME_DAYS_MAX),
    auditDays: integerOf("AUDIT_DAYS", 1, 36_500),
    historyDays: optionalIntegerOf("HISTORY_DAYS", 1, 36_500),
    smtpUrl,
    mailFrom: parseMailFrom(textOf("MAIL_FROM"), publicUrl, problems),
    trustedProxies,
    allowedOrigins,
    metricsHost: textOf("METRICS_HOST"),
    metricsPort: optionalIntegerOf("METRICS_PORT", 0, 65_535),
    logLevel: choiceOf("LOG_LEVEL", logLevels),
    rateSources: rateSourcesOf(environment.RATE_SOURCES, names, ofNames),
    sourceTokens: sourceTokensOf(secretOf("SOURCE_TOKENS"), names, ofNames),
    publishers,
    maxRateJump: readers.fractionOf("RATE_MAX_JUMP", "0.5") as Decimal,
    maxDisagreement: readers.fractionOf("RATE_MAX_DISAGREEMENT", "0.02"),
    proxies: proxiesOf(environment, problems),
    signingKeyFile: textOf("SIGNING_KEY_FILE"),
    signingKey: signingKeyOf(readers, problems),
  };
  if (config.metricsPort === config.port && config.port !== 0) {
    problems.push(`METRICS_PORT: must be another port than PORT, which is ${config.port}, too`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** The value is not shown in a problem: it may contain a password. */
function databaseOf(text: string | undefined, problems: string[]): DatabaseSettings {
  if (text === undefined) return { engine: "sqlite" };
  const hosts = parseDatabaseUrl(text);
  if (hosts === undefined) {
    problems.push(
      "DATABASE_URL: must be an address such as postgres://user:password@one:5432,two:5432/kurs",
    );
  }
  for (const problem of databaseOptionProblems(text)) problems.push(`DATABASE_URL: ${problem}`);
  return { engine: "postgres", hosts: hosts ?? [] };
}

function backupScheduleOf(
  { textOf, reject }: ReturnType<typeof readersOf>,
  { engine }: DatabaseSettings,
  problems: string[],
): Cron | undefined {
  const text = textOf("BACKUP_SCHEDULE");
  if (text === undefined) return undefined;
  if (engine === "postgres") {
    problems.push("BACKUP_SCHEDULE: unset it; PostgreSQL's own tools back up DATABASE_URL");
    return undefined;
  }
  try {
    const schedule = new Cron(text, { timezone: "UTC", paused: true, mode: "5-part" });
    if (schedule.nextRun() !== null) return schedule;
    problems.push(`BACKUP_SCHEDULE: no date matches "${text}": it must be one such as "0 4 * * *"`);
    return undefined;
  } catch {
    // Reported below: croner's messages do not say what it wants.
  }
  reject("BACKUP_SCHEDULE", 'a cron pattern such as "0 4 * * *"', text);
  return undefined;
}

/** @returns also the names of all sources, and where problems of names go. */
function publishersOf(
  { textOf, contentOf }: ReturnType<typeof readersOf>,
  { known, onByDefault }: SourceNames,
  problems: string[],
) {
  const before = problems.length;
  const path = textOf("SOURCES_FILE");
  const wanted = "sources as JSON";
  const content = path && contentOf("SOURCES_FILE", wanted, path);
  const { publishers, added, fault, ...file } = readSourcesFile(content ?? '{"sources": []}');
  const why = `${path} ${fault}`;
  if (fault !== undefined) problems.push(`SOURCES_FILE: must be a file with ${wanted}, but ${why}`);
  problems.push(...file.problems.map((problem) => `SOURCES_FILE: ${path}, ${problem}`));
  return {
    publishers,
    names: { known: [...known, ...added], onByDefault: [...onByDefault, ...added] },
    // An invalid file lacks names that other settings have.
    ofNames: problems.length === before ? problems : [],
  };
}

/** Unset: those that are on by default; empty: none. */
function rateSourcesOf(
  text: string | undefined,
  { known, onByDefault }: SourceNames,
  problems: string[],
): readonly string[] {
  if (text === undefined) return onByDefault;
  const names = entriesOf(text);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    problems.push(`RATE_SOURCES: there is no ${unknown.join(", ")}; there are ${known.join(", ")}`);
  }
  if (new Set(names).size < names.length) {
    problems.push("RATE_SOURCES: must name each source once");
  }
  return names;
}

/** No token is shown in a problem. */
function sourceTokensOf(
  text: string | undefined,
  { known }: SourceNames,
  problems: string[],
): Config["sourceTokens"] {
  const entries = entriesOf(text ?? "").map((entry) => {
    const [, key = "", token = ""] = /^([a-z0-9-]+)=([!-~]+)$/.exec(entry) ?? [];
    return [key, token] as const;
  });
  const wrong = entries.flatMap(([key], index) => (known.includes(key) ? [] : [index + 1]));
  if (wrong.length > 0) {
    const which =
      wrong.length === 1 ? `entry ${wrong[0]} is` : `entries ${wrong.join(" and ")} are`;
    const wanted = "no source with its token, such as banxico=0123abcd";
    problems.push(`SOURCE_TOKENS: ${which} ${wanted}`);
  }
  return Object.fromEntries(entries);
}

/** As in other programs, the names in lower case come first. All other hosts are at https. */
function proxiesOf(environment: Environment, problems: string[]): Config["proxies"] {
  const given = (name: "HTTPS_PROXY" | "NO_PROXY") =>
    givenText(environment, name.toLowerCase()) ?? givenText(environment, name);
  const proxy = given("HTTPS_PROXY");
  if (proxy === undefined) return undefined;
  if (!/^https?:\/\/[^/]/i.test(proxy) || !URL.canParse(proxy)) {
    problems.push("HTTPS_PROXY: must be an address such as http://proxy.example.org:3128");
  }
  return { HTTPS_PROXY: proxy, NO_PROXY: given("NO_PROXY") };
}

/** Nothing of the file's content is shown in a problem. */
function signingKeyOf(
  { textOf, contentOf }: ReturnType<typeof readersOf>,
  problems: string[],
): Config["signingKey"] {
  const path = textOf("SIGNING_KEY_FILE");
  if (path === undefined) return undefined;
  const wanted = "an Ed25519 private key in PEM (PKCS#8)";
  const pem = contentOf("SIGNING_KEY_FILE", wanted, path);
  if (pem === undefined) return undefined;
  const key = parseSigningKey(pem);
  if (!("reason" in key)) return key;
  problems.push(`SIGNING_KEY_FILE: must be a file with ${wanted}, but ${path} ${key.reason}`);
  return undefined;
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && !/\s/.test(text);
  return isWeb && url.search === "" && url.hash === "";
}

function hasCredentials(text: string): boolean {
  const { username, password } = URL.parse(text) ?? {};
  return Boolean(username) || Boolean(password);
}

/** An origin as a browser writes it; no wildcards. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text;
}

/** An address, or a name as DNS has it. A URL reads 256.1.1.1 as a broken address. */
function isHost(text: string): boolean {
  return isIP(text) !== 0 || (/^[\w.-]{1,253}$/.test(text) && URL.canParse(`http://${text}`));
}
