import { parseArgs } from "node:util";
import { runFailover } from "./failover.ts";

// Runs the failover test by hand, in every variant and for any duration:
// node trials/faults/run-failover.ts --seconds 60

/** The guaranteed time from the promotion until service resumes, on an otherwise idle machine. */
const BACK_MS_MAX = 5000;

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const seconds = Number(values.seconds);

for (const primaryIs of ["killed", "frozen"] as const) {
  for (const standbyFirst of [false, true]) {
    console.log(`primary ${primaryIs}, ${standbyFirst ? "standby" : "primary"} listed first:`);
    const print = (line: string) => console.log(`  ${line}`);
    await runFailover({ seconds, standbyFirst, primaryIs, backMsMax: BACK_MS_MAX, print });
  }
}
console.log("nothing was lost, charged twice or charged above a quota");
