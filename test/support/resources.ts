import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

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

/** Connections, with the sockets that it listens on. */
export function openSockets(pid: number): number {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).filter((name) => {
    try {
      return readlinkSync(join(directory, name)).startsWith("socket:");
    } catch {
      // It was closed since.
      return false;
    }
  }).length;
}
