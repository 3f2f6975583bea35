import type { Command } from "commander";
import { type BackupCommandDeps, backupCommands } from "./backups/cli.ts";
import { readVerified } from "./backups/verified.ts";
import { type ClockCommandDeps, clockCommands } from "./cleanup/cli.ts";
import { type DoctorCommandDeps, doctorCommands } from "./doctor/cli.ts";

export type OperationCommandDeps = BackupCommandDeps &
  ClockCommandDeps &
  Omit<DoctorCommandDeps, "readVerified">;

/** Adds `kurs backup`, `restore`, `clock`, `doctor` and `health`. */
export function operationCommands(
  program: Command,
  deps: OperationCommandDeps,
  setExitCode: (code: number) => void,
): void {
  backupCommands(program, deps);
  clockCommands(program, deps);
  doctorCommands(program, { ...deps, readVerified }, setExitCode);
}
