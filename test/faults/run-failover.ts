import { parseArgs } from "node:util";
import { runFailover } from "./failover.ts";

// For people: what the test does in a few seconds, for as long as they like, in every variant.
// node test/faults/run-failover.ts --seconds 60

/** Promised from the promotion on, on a machine that does nothing else. */
const BACK_MS_MAX = 5000;

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const seconds = Number(values.seconds);

for (const primaryIs of ["killed", "frozen"] as const) {
  for (const standbyFirst of [false, true]) {
    console.log(`primary ${primaryIs}, ${standbyFirst ? "standby" : "primary"} named first:`);
    const print = (line: string) => console.log(`  ${line}`);
    await runFailover({ seconds, standbyFirst, primaryIs, backMsMax: BACK_MS_MAX, print });
  }
}
console.log("nothing was lost, and nothing was charged twice or past a quota");
