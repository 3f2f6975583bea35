import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { startPostgres } from "../harness/postgres.ts";
import { unpackChromium } from "./support/chromium.ts";
import { COMPILE_CACHE } from "./support/compile-cache.ts";

// Runs all test files: `npm test`; with arguments only those files, and those below those folders:
// `node test/run.ts test/rates`. Most share a process with others, because a process that loads
// the service costs 0.3 s of processor time.

const ROOT = join(import.meta.dirname, "..");
const GROUP = join(ROOT, "test/support/group.ts");

/** Processes wait half of their time, for a child or for the disk: four keep two cores busy. */
const PROCESSES_AT_ONCE = 4;

/** More files in a process save little, and the last process would run alone at the end. */
const FILES_PER_PROCESS = 8;

/** A process that has not ended by then hangs, on any machine: all of them take four minutes. */
const GROUP_MS_MAX = 20 * 60_000;

/** These change the environment or the process, or measure it. */
const ALONE = ["test/contract/", "test/customers/passwords/hash-pool.test.ts", "test/service/"];

/**
 * A file that replaces a timer or a method replaces it for every file of its process, whose services
 * run from the first import on: a delivery loop that fell asleep by a mocked timer never woke up.
 */
const REPLACES_GLOBALS = /\bmock\.(timers|method)\b/;

const runsAlone = (path: string): boolean =>
  ALONE.some((start) => path.startsWith(start)) ||
  REPLACES_GLOBALS.test(readFileSync(join(ROOT, path), "utf8"));

/** What takes longest starts first, in this order, so that no core is idle at the end. */
const LONG = [
  "test/contract/",
  "test/console/",
  "test/platform/storage/",
  "test/platform/http/",
  "test/rates/served/",
];

/** Two runs on one processor differ: only a clear excess over test/budget.json fails. */
const BUDGET_EXCESS_MAX = 1.1;

/**
 * The processor time of a fixed piece of work. On a slower or busier processor than that of
 * test/budget.json it takes longer, and so may the tests. It is taken whenever a process ends: the
 * end of a run alone was once less busy than the rest, by a third.
 */
function yardstickSeconds(): number {
  const before = process.cpuUsage();
  for (let round = 0; round < 5_000; round += 1) JSON.parse(PACKAGES);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const PACKAGES = readFileSync(join(ROOT, "package.json"), "utf8");
const yardsticks: number[] = [];

// Every process inherits it: a file that starts a service is ready after 0.35 s of CPU time instead
// of 0.75 s.
process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;

// `npm test` has bundled it (docs/decisions/0015-processes-run-from-a-bundle.md).
process.env.KURS_TEST_MAIN ??= join(ROOT, "dist/bundle/patient-program.js");

const found = globSync("test/**/*.test.ts", { cwd: ROOT }).map((path) =>
  path.replaceAll("\\", "/"),
);
const isListed = (path: string) => found.some((file) => file.startsWith(path));
const gone = [...LONG, ...ALONE].filter((path) => !isListed(path));
if (gone.length > 0) throw new Error(`not there any more: ${gone.join(", ")}`);

/** Ends the run before anything starts. */
function reject(why: string): never {
  process.stderr.write(`${why}.\n`);
  process.exit(1);
}

if (!existsSync(process.env.KURS_TEST_MAIN)) {
  const build = "node scripts/run.js scripts/build-program.js bundle";
  reject(`There is no ${process.env.KURS_TEST_MAIN}: run ${build}, as npm test does`);
}
const places = process.argv.slice(2);
const isIn = (place: string, file: string) => {
  const path = relative(ROOT, resolve(place));
  return path === "" || file === path || file.startsWith(`${path}/`);
};
const nothing = places.filter((place) => !found.some((file) => isIn(place, file)));
if (nothing.length > 0) {
  const wanted = "name test files, or folders such as test/rates";
  reject(`There is no test file in ${nothing.join(", ")}: ${wanted}`);
}
const chosen =
  places.length === 0 ? found : found.filter((file) => places.some((place) => isIn(place, file)));

const report = new PassThrough({ objectMode: true });
report.compose(spec).pipe(process.stdout);
const totals = new Map<string, number>();
const messages: string[] = [];
const costsFile = join(mkdtempSync(join(tmpdir(), "kurs-test-costs-")), "costs.ndjson");
writeFileSync(costsFile, "");
process.env.KURS_TEST_COSTS = costsFile;
const startedMs = performance.now();

/** The place of a file in the order in which the processes start. */
function placeOf(path: string): number {
  const place = LONG.findIndex((start) => path.startsWith(start));
  return place < 0 ? LONG.length : place;
}

/** The files that share a process, in the order in which the processes start. */
function inGroups(): readonly (readonly string[])[] {
  const inOrder = chosen.sort(
    (one, other) => placeOf(one) - placeOf(other) || (one < other ? -1 : 1),
  );
  const { alone = [], shared = [] } = Object.groupBy(inOrder, (path) =>
    runsAlone(path) ? "alone" : "shared",
  );
  const groups = Array.from({ length: Math.ceil(shared.length / FILES_PER_PROCESS) }, (_, index) =>
    shared.slice(index * FILES_PER_PROCESS, (index + 1) * FILES_PER_PROCESS),
  );
  return [...alone.map((path) => [path]), ...groups].sort(
    ([one = ""], [other = ""]) => placeOf(one) - placeOf(other),
  );
}

interface RunEvent {
  /** Undefined for events of the run as a whole. */
  readonly file?: string;
  readonly name?: string;
  readonly message?: string;
  readonly details?: { readonly error?: { readonly cause?: unknown } };
  readonly success?: boolean;
}

interface GroupOutcome {
  readonly succeeded: boolean;
  /** For the report. */
  readonly events: readonly { readonly type: string; readonly data: RunEvent }[];
  /** Counts such as `pass 12`. */
  readonly counts: readonly string[];
  /** The files of a process that did not end. */
  readonly hanging: readonly string[];
}

/** Runs files in one process. */
async function runGroup(files: readonly string[]): Promise<GroupOutcome> {
  const argv = files.map((path) => join(ROOT, path));
  const events: { type: string; data: RunEvent }[] = [];
  const counts: string[] = [];
  let succeeded = false;
  // The option `timeout` would not end a process in which something besides a test still runs.
  const signal = AbortSignal.timeout(GROUP_MS_MAX);
  for await (const event of run({ cwd: ROOT, files: [GROUP], argv, signal })) {
    const { type, data } = event as { type: string; data: RunEvent };
    if (data.file !== undefined) events.push({ type, data });
    else if (type === "test:summary") succeeded = data.success === true;
    else if (type === "test:diagnostic") counts.push(data.message ?? "");
    else if (type !== "test:plan") events.push({ type, data });
  }
  return { succeeded, events, counts, hanging: signal.aborted ? files : [] };
}

/** Prints what became of a group, and adds up its counts. @returns whether all tests passed. */
function reportGroup({ succeeded, events, counts, hanging }: GroupOutcome): boolean {
  // A reporter expects all events of one group before those of another.
  for (const event of events) report.write(event);
  for (const count of counts) {
    const [name = "", value] = count.split(" ");
    if (name !== "duration_ms") totals.set(name, (totals.get(name) ?? 0) + Number(value));
  }
  if (hanging.length > 0) messages.push(`a process did not end: ${hanging.join(", ")}`);
  return succeeded;
}

/** Runs groups one after the other, taking each from those that are left. */
async function runGroups(groups: Iterator<readonly string[]>): Promise<boolean> {
  let succeeded = true;
  for (let next = groups.next(); next.done !== true; next = groups.next()) {
    if (!reportGroup(await runGroup(next.value))) succeeded = false;
    yardsticks.push(yardstickSeconds());
  }
  return succeeded;
}

// One server for all files: starting one takes 1 s of processor time.
await using postgres = await startPostgres({ settings: { max_connections: "500" } });
process.env.TEST_DATABASE_URL ??= postgres.url();
await unpackChromium();
const groups = inGroups().values();
const outcomes = await Promise.all(
  Array.from({ length: PROCESSES_AT_ONCE }, () => runGroups(groups)),
);
const costs = readFileSync(costsFile, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as { readonly file: string; readonly seconds: number })
  .sort((one, other) => other.seconds - one.seconds);
const totalCpu = costs.reduce((sum, { seconds }) => sum + seconds, 0);
const committed = JSON.parse(readFileSync(join(ROOT, "test/budget.json"), "utf8")) as {
  readonly cpuSeconds: number;
  readonly yardstickSeconds: number;
};
const yardstick = yardsticks.reduce((sum, seconds) => sum + seconds, 0) / yardsticks.length;
const slowness = Math.max(1, yardstick / committed.yardstickSeconds);
const budget = Math.round(committed.cpuSeconds * slowness);
const isWithinBudget = totalCpu <= budget * BUDGET_EXCESS_MAX;
if (!isWithinBudget) {
  messages.push(
    `over the budget of ${budget} CPU seconds: save some, or raise test/budget.json and say why`,
  );
}
const success = isWithinBudget && !outcomes.includes(false);
const lines = [
  ...[...totals].map(([name, count]) => `${name} ${count}`),
  `seconds ${Math.round((performance.now() - startedMs) / 1000)}`,
  `CPU seconds ${Math.round(totalCpu)} (yardstick ${yardstick.toFixed(4)}), in the ten most expensive files:`,
  ...costs.slice(0, 10).map(({ file, seconds }) => `${seconds.toFixed(1).padStart(6)} ${file}`),
  ...messages,
];
for (const message of lines) {
  report.write({ type: "test:diagnostic", data: { nesting: 0, message, level: "info" } });
}
report.end({ type: "test:summary", data: { success } });
rmSync(dirname(costsFile), { recursive: true });
if (!success) process.exitCode = 1;
