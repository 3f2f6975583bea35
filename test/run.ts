import { globSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { COMPILE_CACHE } from "./support/compile-cache.ts";

// Runs all test files, each in its own process: `npm test`. `node --test` runs single files.

const ROOT = join(import.meta.dirname, "..");

/** Files wait half of their time, for a child or for the disk: four keep two cores busy. */
const FILES_AT_ONCE = 4;

/** Files that mostly wait for timers run in addition to the others, one after the other. */
const IDLE = [
  "test/http/overload/unread-responses.test.ts",
  "test/http/overload/slow-clients.test.ts",
  "test/faults/mail-kill.test.ts",
  "test/faults/postgres-in-doubt.test.ts",
];

/** The files that take longest start first, so that no core is idle at the end. */
const LONG = [
  "test/torture/torture.test.ts",
  "test/faults/postgres-away.test.ts",
  "test/faults/failover.test.ts",
  "test/nodes/cleanup.test.ts",
  "test/nodes/exactness.test.ts",
  "test/nodes/migrations.test.ts",
  "test/console/whole-visit.test.ts",
  "test/contract/store.test.ts",
];

// Every process inherits it: a file that starts a service is ready after 0.35 s of CPU time instead
// of 0.75 s.
process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;

// `npm test` has bundled it (docs/decisions/0015-processes-run-from-a-bundle.md).
process.env.KURS_TEST_MAIN = join(ROOT, "dist/bundle/main.js");

const found = globSync("test/**/*.test.ts", { cwd: ROOT }).map((path) =>
  path.replaceAll("\\", "/"),
);
const gone = [...IDLE, ...LONG].filter((path) => !found.includes(path));
if (gone.length > 0) throw new Error(`not there any more: ${gone.join(", ")}`);
const busy = found.filter((path) => !IDLE.includes(path)).sort();

const report = new PassThrough({ objectMode: true });
report.compose(spec).pipe(process.stdout);
const totals = new Map<string, number>();
const startedMs = performance.now();

/** Runs files. Writes their reports to `out`, except for the summary at the end of a run. */
async function runFiles(
  files: readonly string[],
  concurrency: number,
  out: { write(event: unknown): unknown },
): Promise<boolean> {
  const places = files.map((path) => join(ROOT, path));
  let succeeded = false;
  for await (const event of run({ cwd: ROOT, files: places, concurrency })) {
    const { type, data } = event as { type: string; data: RunEvent };
    if (data.file !== undefined) out.write(event);
    else if (type === "test:summary") succeeded = data.success === true;
    else if (type === "test:diagnostic") addUp(data.message ?? "");
    else if (type !== "test:plan") out.write(event);
  }
  return succeeded;
}

interface RunEvent {
  /** Undefined for events of the run as a whole. */
  readonly file?: string;
  readonly message?: string;
  readonly success?: boolean;
}

function addUp(message: string): void {
  const [name = "", count] = message.split(" ");
  if (name !== "duration_ms") totals.set(name, (totals.get(name) ?? 0) + Number(count));
}

// A reporter expects all events of one file before those of another.
const later: unknown[] = [];
const outcomes = await Promise.all([
  runFiles([...new Set([...LONG, ...busy])], FILES_AT_ONCE, report),
  runFiles(IDLE, 1, { write: (event) => later.push(event) }),
]);
for (const event of later) report.write(event);
const success = !outcomes.includes(false);
const seconds = Math.round((performance.now() - startedMs) / 1000);
for (const [name, count] of [...totals, ["seconds", seconds] as const]) {
  const data = { nesting: 0, message: `${name} ${count}`, level: "info" };
  report.write({ type: "test:diagnostic", data });
}
report.end({ type: "test:summary", data: { success } });
if (!success) process.exitCode = 1;
