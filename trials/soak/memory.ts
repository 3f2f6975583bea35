import type { Program } from "../../test/support/process.ts";

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
