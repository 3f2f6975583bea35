/** One variable of the environment that Kurs reads. */
interface Setting {
  /** What an unset variable means, as the text of a value. */
  readonly value?: string;
  /** What applies without a value; for the derived ones what they derive from. */
  readonly without?: string;
  /** Never shown: it may contain a password. */
  readonly isSecret?: true;
  /** A convention of many programs: another variable with a similar name is no typing error. */
  readonly isShared?: true;
}

/** Every setting with its default, in the order of docs/settings.md. */
const settings = {
  HOST: { value: "127.0.0.1" },
  PORT: { value: "8080" },
  DATA_DIR: { value: "./data" },
  DATABASE_URL: { without: "none: the file in DATA_DIR", isSecret: true },
  PUBLIC_URL: { without: "the listening address" },
  PLAN_FREE_UNITS: { without: "as stored: 1000 at first" },
  REQUIRE_VERIFIED_EMAIL: { value: "false" },
  REGISTRATION: { value: "open" },
  KEY_MAX_AGE_DAYS: { without: "none: keys need no end" },
  AUDIT_DAYS: { value: "400" },
  HISTORY_DAYS: { without: "none: forever" },
  SMTP_URL: { without: "none: files", isSecret: true },
  MAIL_FROM: { without: "Kurs <kurs@HOST of PUBLIC_URL>" },
  AUTH_LIMIT: { value: "20" },
  AUTH_WINDOW_SECONDS: { value: "900" },
  TRUST_PROXY: { without: "none" },
  ALLOWED_ORIGINS: { without: "none" },
  RATE_SOURCES: { without: "ecb,cnb,nbp,norges,dnb,nbrm" },
  SOURCES_FILE: { without: "none" },
  SOURCE_TOKENS: { without: "none", isSecret: true },
  RATE_MAX_JUMP: { value: "0.5" },
  RATE_MAX_DISAGREEMENT: { without: "none: not compared" },
  HTTPS_PROXY: { without: "none", isSecret: true, isShared: true },
  NO_PROXY: { without: "none", isShared: true },
  SIGNING_KEY_FILE: { without: "none: unsigned" },
  BACKUP_SCHEDULE: { without: "none" },
  BACKUP_DIR: { without: "backups in DATA_DIR" },
  BACKUP_KEEP: { value: "14" },
  METRICS_PORT: { without: "none" },
  METRICS_HOST: { value: "127.0.0.1" },
  MAX_CONNECTIONS: { value: "10000" },
  SHUTDOWN_DELAY_SECONDS: { value: "0" },
  LOG_LEVEL: { value: "info" },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settings;

/** The settings whose default is the text of a value. */
export type DefaultedName = {
  [Name in SettingName]: (typeof settings)[Name] extends { value: string } ? Name : never;
}[SettingName];

/** Settings whose value may be in a file, which the variable with `_FILE` names. */
export const secretsInFiles = ["DATABASE_URL", "SMTP_URL", "SOURCE_TOKENS"] as const;

export const settingNames = Object.keys(settings) as readonly SettingName[];

export function settingOf(name: SettingName): Setting {
  return settings[name];
}

/** Names with fewer characters resemble too many others. */
const CHARACTERS_MIN = 8;

/** From this length on, two typing errors still leave no doubt. */
const LONG_NAME_CHARACTERS = 10;

/** Kubernetes sets these for each service, whatever its name: `METRIC_PORT=tcp://10.0.0.1:80`. */
const ofKubernetes = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;
const addressOfKubernetes = /^(?:tcp|udp|sctp):\/\//;

/**
 * Finds variables that Kurs does not read and whose names differ from those of settings by one or
 * two typing errors. If that setting is set, too, its name is known: the other is no error.
 *
 * @returns a problem for each.
 */
export function misspelled(environment: Readonly<Record<string, string | undefined>>): string[] {
  const files = secretsInFiles.map((name) => `${name}_FILE`);
  const known: readonly string[] = [...settingNames, ...files];
  const own = [...settingNames.filter((name) => !settingOf(name).isShared), ...files].filter(
    ({ length }) => length >= CHARACTERS_MIN,
  );
  return Object.entries(environment).flatMap(([name, value = ""]) => {
    if (value === "" || known.includes(name)) return [];
    if (ofKubernetes.test(name) || addressOfKubernetes.test(value)) return [];
    const meant = own.find((setting) => resembles(name, setting));
    if (meant === undefined || environment[meant] !== undefined) return [];
    return [`${name}: there is no such setting: did you mean ${meant}?`];
  });
}

function resembles(name: string, setting: string): boolean {
  const errorsMax = setting.length < LONG_NAME_CHARACTERS ? 1 : 2;
  if (Math.abs(name.length - setting.length) > errorsMax) return false;
  return typingErrors(name, setting) <= errorsMax;
}

/** The characters to insert, delete, replace or swap with their neighbour. */
function typingErrors(typed: string, meant: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: meant.length + 1 }, (_, column) => column);
  for (let row = 1; row <= typed.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= meant.length; column += 1) {
      const isSame = typed[row - 1] === meant[column - 1];
      const isSwapped =
        typed[row - 1] === meant[column - 2] && typed[row - 2] === meant[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        row > 1 && column > 1 && isSwapped
          ? (beforeLast[column - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = next;
  }
  return last[meant.length] ?? 0;
}
