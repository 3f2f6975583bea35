/** The directory of backups beside a database, unless the operator names another. */
export const BACKUPS = "backups";

/** The name of a backup taken at a time (RFC 3339, UTC). Names sort by their times. */
export function backupName(takenAt: string): string {
  return `kurs-${takenAt.replaceAll(":", "-")}.db`;
}

/** The name of the backup before a migration, which no number of later backups removes. */
export function backupNameBefore(schema: number, takenAt: string): string {
  return `kurs-before-schema-${schema}-${takenAt.replaceAll(":", "-")}.db`;
}

/** Whether a file is an incomplete backup before a migration, or its journal. */
export function isPartBefore(fileName: string): boolean {
  return /^kurs-before-schema-\d+-\S+\.db\.\d+\.part(?:-journal)?$/.test(fileName);
}

const name = /^kurs-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db$/;

/** @returns when a backup was taken, by its name; undefined for any other file. */
export function takenAtOf(fileName: string): string | undefined {
  const [, hour, minute, second] = name.exec(fileName) ?? [];
  return hour === undefined ? undefined : `${hour}:${minute}:${second}`;
}
