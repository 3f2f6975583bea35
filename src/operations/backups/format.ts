import { counted } from "../../platform/shared/text/counted.ts";
import { visibleLine } from "../../platform/shared/text/visible-text.ts";
import type { BackupReport, DatabaseTotals, RestoreReport } from "./report.ts";
import type { Verification } from "./verify.ts";

// What the commands print, as lines and as JSON.

export function formatBackup(report: BackupReport): string {
  const { file, sizeBytes, takenAt, schema } = report;
  const about = `${Math.ceil(sizeBytes / 1024)} KiB, schema ${schema}`;
  return `backed up to ${file} (${about}) as of ${takenAt}: ${formatTotals(report)}`;
}

export function formatRestore(report: RestoreReport, reviveKeys: boolean): string {
  const { note, database, schema, sessionsEnded, kept, forgotten } = report;
  const made = note === undefined ? "a copy" : `the backup of ${note.takenAt} (${note.program})`;
  const lines = [`restored ${made}, schema ${schema}, to ${database}: ${formatTotals(report)}`];
  if (kept !== undefined) lines.push(`the replaced database is kept: ${kept}`);
  if (forgotten !== undefined) {
    const { accounts, keys, units, passwords, revocations } = forgotten;
    const { deletions, suspensions, pairs, grants, granted } = forgotten;
    const ending = grants > granted.length ? ", such as" : ":";
    lines.push(
      `lost since then: ${counted(accounts, "account")}, ${counted(keys, "key")}, ` +
        `${counted(units, "unit")} charged, ${counted(passwords, "changed password")}`,
      ...(grants > 0 ? [`${counted(grants, "grant")} of units lost since then${ending}`] : []),
      ...granted.map(
        ({ email, units, expiresAt, reference }) =>
          `  ${counted(units, "unit")} of ${email}` +
          `${expiresAt === undefined ? "" : ` until ${expiresAt}`}, for ${visibleLine(reference)}`,
      ),
      `${counted(revocations, "key")} revoked since then: ` +
        (reviveKeys ? "valid again" : "still revoked"),
      `${counted(deletions, "account")} deleted and ${suspensions} suspended or resumed ` +
        "since then: still so",
      `${counted(pairs, "pair")} suspended since then: still suspended`,
    );
  } else if (kept !== undefined) {
    lines.push(
      "it cannot be read: keys revoked and passwords changed since then are as in the backup",
    );
  } else lines.push("keys revoked and passwords changed since then are as in the backup");
  lines.push(`${counted(sessionsEnded, "session")} ended, and links in earlier mails are invalid`);
  return lines.join("\n");
}

function formatTotals({ accounts, activeKeys, units }: DatabaseTotals): string {
  return [
    counted(accounts, "account"),
    counted(activeKeys, "active key"),
    counted(units, "unit"),
  ].join(", ");
}

export function formatVerification({ file, note, schema, totals }: Verification): string {
  const time = note === undefined ? "" : ` of ${note.takenAt}`;
  const compared = note === undefined ? "" : ", as recorded";
  return `verified ${file}${time}, schema ${schema}: ${formatTotals(totals)}${compared}`;
}

export function backupJson(
  report: BackupReport,
  verification: Verification | undefined,
  removed: number,
) {
  const { takenAt, sizeBytes, activeKeys, ...rest } = report;
  const { problems } = verification ?? {};
  return {
    ...rest,
    taken_at: takenAt,
    size_bytes: sizeBytes,
    active_keys: activeKeys,
    ...(problems === undefined ? {} : { problems }),
    removed,
  };
}

export function verificationJson({ file, note, schema, totals, ...rest }: Verification) {
  const { accounts, activeKeys, units } = totals;
  return {
    file,
    taken_at: note?.takenAt ?? null,
    program: note?.program ?? null,
    size_bytes: rest.sizeBytes,
    schema,
    accounts,
    active_keys: activeKeys,
    units,
    problems: rest.problems,
  };
}

export function restoreJson({
  note,
  activeKeys,
  sessionsEnded,
  kept,
  forgotten,
  ...rest
}: RestoreReport) {
  const granted = forgotten?.granted.map(({ expiresAt, ...grant }) => {
    return { ...grant, expires_at: expiresAt ?? null };
  });
  return {
    ...rest,
    active_keys: activeKeys,
    taken_at: note?.takenAt ?? null,
    program: note?.program ?? null,
    sessions_ended: sessionsEnded,
    kept: kept ?? null,
    forgotten: forgotten === undefined ? null : { ...forgotten, granted: granted ?? [] },
  };
}
