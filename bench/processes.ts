import { readdir, readFile } from "node:fs/promises";

/** The unit of processor time in Linux's /proc. */
const TICKS_PER_SECOND = 100;

/**
 * Processor time (user and system) of a process, its threads and all its descendants, in
 * microseconds; undefined where there is no /proc.
 */
export async function cpuMicrosOf(pid: number): Promise<number | undefined> {
  const names = await readdir("/proc").catch(() => []);
  const known = (await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(statOf))).filter(
    (entry) => entry !== undefined,
  );
  if (known.length === 0) return undefined;
  const descendants = new Set([pid]);
  // Each pass finds the next generation.
  for (let size = 0; size !== descendants.size; ) {
    size = descendants.size;
    for (const { id, parent } of known) if (descendants.has(parent)) descendants.add(id);
  }
  const ticks = known
    .filter(({ id }) => descendants.has(id))
    .reduce((sum, entry) => sum + entry.ticks, 0);
  return (ticks * 1_000_000) / TICKS_PER_SECOND;
}

async function statOf(name: string) {
  const text = await readFile(`/proc/${name}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in parentheses may contain anything; numbers follow it (proc_pid_stat(5)).
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number);
  return { id: Number(name), parent: parent ?? 0, ticks: (user ?? 0) + (system ?? 0) };
}

/** Resident memory of a process in MiB; undefined where there is no /proc. */
export function residentMib(pid: number): Promise<number | undefined> {
  return memoryMib(pid, "VmRSS");
}

/** The peak resident memory of a process so far, in MiB; undefined where there is no /proc. */
export function peakMib(pid: number): Promise<number | undefined> {
  return memoryMib(pid, "VmHWM");
}

async function memoryMib(pid: number, field: string): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kib = new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}
