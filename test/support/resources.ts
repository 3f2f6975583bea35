import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "./mails.ts";

// Resources of a process, from Linux's /proc; 0 on other systems.

/** Resident memory in MiB. */
export function residentMib(pid: number): number {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kib) / 1024;
  } catch {
    return 0;
  }
}

/** The number of open files and sockets. */
export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** The number of connections, including the listening sockets. */
export function openSockets(pid: number): number {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).filter((name) => {
    try {
      return readlinkSync(join(directory, name)).startsWith("socket:");
    } catch {
      // It was closed meanwhile.
      return false;
    }
  }).length;
}

/** The connections that a server on a port of 127.0.0.1 has not closed, as the kernel counts them. */
export function connectionsOf(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const isOpen = (line: string) => {
    const [, address = "", , state = ""] = line.trim().split(/\s+/);
    // ESTABLISHED and CLOSE_WAIT.
    return address.endsWith(local) && ["01", "08"].includes(state);
  };
  return readFileSync("/proc/net/tcp", "utf8").split("\n").filter(isOpen).length;
}

/** Waits until a process that was sent SIGSTOP has stopped. Linux only. */
export async function untilStopped(pid: number): Promise<void> {
  await eventually("stopped process", async () => {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    return / T /.test(stat) || undefined;
  });
}
