// Checks whether the metered read has become slower, also on busy machines: measures it against
// bare node:http in the same seconds, and retries before it reports a slowdown. `npm run gate`.
import { compare } from "./comparison.ts";
import { ratioOf, type Table, textOf } from "./figures.ts";
import type { GeneratorName } from "./load/load.ts";
import { OPTIONS_HELP, parseCommandLine, runProgram } from "./options.ts";
import { run } from "./run.ts";
import type { Bench, Report } from "./scenario.ts";
import { kursTarget, startFilledKurs } from "./stores/kurs.ts";
import { BARE, bareTarget } from "./yardsticks/targets.ts";

/**
 * Each is faster than the one before, as V8 compiles what runs often: on a machine with slow syncs
 * three reached ratios of processor time of 0.41, 0.44 and 0.45, on two versions alike.
 */
const ATTEMPTS_MAX = 8;
const METERED = "metered read";

/**
 * Requests per second: the metered read's divided by bare node:http's. Measured on two cores that
 * other programs used too: 0.53 to 0.75 with wrk, 0.55 with autocannon, which is slower than the
 * servers. Before the fast path it was 0.33 to 0.50 with wrk.
 */
const SPEED_RATIO_MIN: Readonly<Record<GeneratorName, number>> = { wrk: 0.4, autocannon: 0.33 };

/**
 * Processor time per request: bare node:http's divided by the metered read's. Other programs hardly
 * affect it. Measured: 0.57 to 0.68; before the fast path 0.33 to 0.52.
 */
const CPU_RATIO_MIN = 0.45;

/** An attempt takes 8 s, or 11 s with autocannon: three rounds of one second and a warm-up. */
const DEFAULT_ARGUMENTS = ["--seconds", "1", "--rounds", "3", "--connections", "64"];

await runProgram(async (args) => {
  const { isHelp, options } = parseCommandLine([...DEFAULT_ARGUMENTS, ...args]);
  if (isHelp) {
    const defaults = DEFAULT_ARGUMENTS.join(" ");
    console.log(`usage: npm run gate -- [OPTION…], by default ${defaults}\n\n${OPTIONS_HELP}`);
    return 0;
  }
  const { failures } = await run(measureRepeatedly, options);
  for (const failure of failures) console.log(`WRONG: ${failure}`);
  return failures.length === 0 ? 0 : 1;
});

/** A wrong charge fails at once; only slowness is measured again. */
async function measureRepeatedly(bench: Bench): Promise<Report> {
  const metered = kursTarget(METERED, await startFilledKurs(bench, "data"));
  const comparison = { connections: [64], targets: [await bareTarget(bench), metered] };
  const tables: Table[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const { tables: measured, failures } = await compare({ ...bench, print: () => {} }, comparison);
    tables.push(...measured);
    for (const table of measured) console.log(textOf(table));
    if (failures.length > 0) return { tables, failures };
    const slow = measured.flatMap((table) => slowFigures(table, SPEED_RATIO_MIN[bench.generator]));
    if (slow.length === 0) {
      console.log("fast enough, and every response was charged once");
      return { tables, failures };
    }
    for (const figure of slow) console.log(`attempt ${attempt} of ${ATTEMPTS_MAX}: ${figure}`);
  }
  return { tables, failures: [`too slow in each of ${ATTEMPTS_MAX} attempts`] };
}

function slowFigures({ rows }: Table, speedRatioMin: number): readonly string[] {
  const speedRatio = ratioOf(rows, "requestsPerSecond", METERED, BARE);
  // Undefined where there is no /proc.
  const cpuRatio = ratioOf(rows, "cpuMicros", BARE, METERED) ?? Number.POSITIVE_INFINITY;
  return [
    { what: "requests per second", ratio: speedRatio ?? 0, ratioMin: speedRatioMin },
    { what: "processor time per request", ratio: cpuRatio, ratioMin: CPU_RATIO_MIN },
  ]
    .filter(({ ratio, ratioMin }) => ratio < ratioMin)
    .map(({ what, ratio, ratioMin }) => `${what}: ratio ${ratio.toFixed(3)}, want ${ratioMin}`);
}
