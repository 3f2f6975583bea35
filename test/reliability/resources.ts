import { readdirSync, readFileSync } from "node:fs";

// What a process holds, as Linux tells it; elsewhere nothing is held.

/** Resident memory in MiB. */
export function residentMib(pid: number): number {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kib) / 1024;
  } catch {
    return 0;
  }
}

/** Files and sockets that are open. */
export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
