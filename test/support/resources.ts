import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "./mails.ts";
import type { Program } from "./process.ts";

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

/**
 * @returns the processor time in milliseconds that this process has used for some work. A busy
 *   machine makes the work end later, but takes no more of this.
 */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** What has a program's inspector listen on a free port. */
export const INSPECTED = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/** A program's memory in MiB, after all that is garbage was collected. */
export interface Memory {
  readonly heapMib: number;
  readonly residentMib: number;
}

/** Asks a program that was started with `INSPECTED` for its memory. */
export async function memoryOf(program: Program): Promise<Memory> {
  const url = await program.waitFor("inspector's address", () => {
    return /Debugger listening on (ws:\S+)/.exec(program.stderr)?.[1];
  });
  const socket = new WebSocket(url);
  const { promise: open, resolve, reject } = Promise.withResolvers<void>();
  socket.onopen = () => resolve();
  socket.onerror = () => reject(new Error(`no inspector at ${url}`));
  await open;
  try {
    let ids = 0;
    const ask = async (method: string, params: object = {}): Promise<unknown> => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      ids += 1;
      const id = ids;
      socket.addEventListener("message", ({ data }) => {
        const message = JSON.parse(String(data)) as { id?: number; result?: unknown };
        if (message.id === id) resolve(message.result);
      });
      socket.send(JSON.stringify({ id, method, params }));
      return await promise;
    };
    await ask("HeapProfiler.collectGarbage");
    await ask("HeapProfiler.collectGarbage");
    const expression = "JSON.stringify(process.memoryUsage())";
    const answer = (await ask("Runtime.evaluate", { expression })) as { result: { value: string } };
    const { heapUsed, rss } = JSON.parse(answer.result.value) as Record<string, number>;
    const mib = (bytes = Number.NaN) => bytes / 1024 / 1024;
    return { heapMib: mib(heapUsed), residentMib: mib(rss) };
  } finally {
    socket.close();
  }
}

/** Waits until a process that was sent SIGSTOP has stopped. Linux only. */
export async function untilStopped(pid: number): Promise<void> {
  await eventually("stopped process", async () => {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    return / T /.test(stat) || undefined;
  });
}
