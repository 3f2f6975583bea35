// Checks whether the metered read has become slower, also on busy machines: measures it against
// bare node:http in the same seconds, and retries before it reports a slowdown. `npm run gate`.
import { hold } from "./comparison.ts";
import { ratioOf, type Table, textOf } from "./figures.ts";
import type { GeneratorName } from "./load/load.ts";
import { parseCommandLine, runProgram } from "./options.ts";
import { run } from "./run.ts";
import type { Bench, Report } from "./scenario.ts";
import { readsOf, startFilledKurs } from "./stores/kurs.ts";
import { BARE, bareContestant } from "./yardsticks/targets.ts";

const TRIES = 3;
const METERED = "metered read";

/**
 * Requests a second, a metered read's to bare node:http's. Measured on two cores that others used
 * too: 0.53 to 0.75 with wrk, 0.55 with autocannon, which is the slower part itself. Before the
 * lane it was 0.33 to 0.50 with wrk.
 */
const SPEED_MIN: Readonly<Record<GeneratorName, number>> = { wrk: 0.4, autocannon: 0.33 };

/**
 * Processor time of a bare request to that of a metered read, which hardly depends on what else
 * runs. Measured: 0.57 to 0.68; before the lane 0.33 to 0.52.
 */
const THRIFT_MIN = 0.45;

/** A try takes 8 s, or 11 s with autocannon: three rounds of a second each and a warm-up. */
const USUAL = ["--seconds", "1", "--rounds", "3", "--connections", "64"];

await runProgram(async (args) => {
  const { options } = parseCommandLine([...USUAL, ...args]);
  const { failures } = await run(tryRepeatedly, options);
  for (const failure of failures) console.log(`WRONG: ${failure}`);
  return failures.length === 0 ? 0 : 1;
});

/** A wrong charge fails at once; only the speed is given another try. */
async function tryRepeatedly(bench: Bench): Promise<Report> {
  const metered = readsOf(METERED, await startFilledKurs(bench, "data"));
  const contest = { connections: [64], contestants: [await bareContestant(bench), metered] };
  const tables: Table[] = [];
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const { tables: played, failures } = await hold({ ...bench, print: () => {} }, contest);
    tables.push(...played);
    for (const table of played) console.log(textOf(table));
    if (failures.length > 0) return { tables, failures };
    const slow = played.flatMap((table) => slownessOf(table, SPEED_MIN[bench.generator]));
    if (slow.length === 0) {
      console.log("fast enough, and every answer was charged once");
      return { tables, failures };
    }
    for (const complaint of slow) console.log(`try ${attempt} of ${TRIES}: ${complaint}`);
  }
  return { tables, failures: [`too slow in each of ${TRIES} tries`] };
}

function slownessOf({ rows }: Table, speedMin: number): readonly string[] {
  const speed = ratioOf(rows, "requestsPerSecond", METERED, BARE);
  // Undefined where there is no /proc.
  const thrift = ratioOf(rows, "cpuMicros", BARE, METERED) ?? Number.POSITIVE_INFINITY;
  return [
    { what: "requests a second", ratio: speed ?? 0, wanted: speedMin },
    { what: "thrift of processor time", ratio: thrift, wanted: THRIFT_MIN },
  ]
    .filter(({ ratio, wanted }) => ratio < wanted)
    .map(({ what, ratio, wanted }) => `${what}: ${ratio.toFixed(3)} of ${BARE}, want ${wanted}`);
}
