import { parseArgs } from "node:util";
import { soak } from "./soak.ts";

// Checks that memory stays flat over a million requests of all kinds.
// npm run trials -- soak --requests 1000000

const { values } = parseArgs({ options: { requests: { type: "string", default: "1000000" } } });
const requests = Number(values.requests);
if (!Number.isInteger(requests) || requests < 10_000)
  throw new Error("--requests: want 10000 or more");
await soak({ requests, samples: 10, print: console.log });
console.log("memory is flat, and every unit was charged once");
