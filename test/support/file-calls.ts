import fs from "node:fs";
import promises, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import { mock } from "node:test";

/** The calls that decide whether a new file survives a loss of power, in order. */
interface FileCalls extends Disposable {
  /** `sync <name>`, `link <from> <to>` and `rename <from> <to>`, each name without its directory. */
  readonly calls: readonly string[];
}

/** Records this process's syncs, links and renames until it is disposed of; they are executed. */
export function recordFileCalls(): FileCalls {
  const calls: string[] = [];
  const pathOf = new Map<number, string>();
  const { openSync, fsync, fsyncSync, linkSync, renameSync } = fs;
  const { open, rename } = promises;
  const names = (from: fs.PathLike, to: fs.PathLike) => `${nameOf(from)} ${nameOf(to)}`;
  const mocks = [
    mock.method(fs, "openSync", (path: fs.PathLike, ...how: [fs.OpenMode, fs.Mode?]) => {
      const descriptor = openSync(path, ...how);
      pathOf.set(descriptor, nameOf(path));
      return descriptor;
    }),
    mock.method(fs, "fsyncSync", (descriptor: number) => {
      fsyncSync(descriptor);
      calls.push(`sync ${pathOf.get(descriptor)}`);
    }),
    mock.method(fs, "fsync", (descriptor: number, done: fs.NoParamCallback) => {
      fsync(descriptor, (error) => {
        if (error === null) calls.push(`sync ${pathOf.get(descriptor)}`);
        done(error);
      });
    }),
    mock.method(fs, "linkSync", (from: fs.PathLike, to: fs.PathLike) => {
      linkSync(from, to);
      calls.push(`link ${names(from, to)}`);
    }),
    mock.method(fs, "renameSync", (from: fs.PathLike, to: fs.PathLike) => {
      renameSync(from, to);
      calls.push(`rename ${names(from, to)}`);
    }),
    mock.method(promises, "rename", async (from: fs.PathLike, to: fs.PathLike) => {
      await rename(from, to);
      calls.push(`rename ${names(from, to)}`);
    }),
    mock.method(promises, "open", async (path: fs.PathLike, ...how: [string?, fs.Mode?]) => {
      const handle = await open(path, ...how);
      return recordSync(handle, () => calls.push(`sync ${nameOf(path)}`));
    }),
  ];
  // Named imports see the mocks only after this.
  syncBuiltinESMExports();
  return {
    calls,
    [Symbol.dispose]() {
      for (const { mock: one } of mocks) one.restore();
      syncBuiltinESMExports();
    },
  };
}

function recordSync(handle: FileHandle, record: () => void): FileHandle {
  const sync = handle.sync.bind(handle);
  handle.sync = async () => {
    await sync();
    record();
  };
  return handle;
}

function nameOf(path: fs.PathLike): string {
  return basename(String(path));
}
