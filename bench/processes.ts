import { readdir, readFile } from "node:fs/promises";

/** Clock ticks a second, as Linux counts processor time in /proc. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process and all that it has started, in milliseconds (Linux). */
export async function cpuMsOf(pid: number): Promise<number> {
  const processes = await Promise.all(
    (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name)).map(statOf),
  );
  const known = processes.filter((entry) => entry !== undefined);
  const family = new Set([pid]);
  // Each pass finds the next generation.
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { id, parent } of known) if (family.has(parent)) family.add(id);
  }
  const ticks = known
    .filter(({ id }) => family.has(id))
    .reduce((sum, entry) => sum + entry.ticks, 0);
  return (ticks * 1000) / TICKS_PER_SECOND;
}

async function statOf(name: string) {
  const text = await readFile(`/proc/${name}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in parentheses may hold anything; what follows it is numbers (proc_pid_stat(5)).
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number);
  return { id: Number(name), parent: parent ?? 0, ticks: (user ?? 0) + (system ?? 0) };
}

/** Resident memory of a process in MiB (Linux). */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number.parseInt(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? "0", 10) / 1024;
}
