// JavaScript, because each thread strips types itself: the same file in TypeScript takes 30 MB and
// 50 ms to start, this one 12 MB and 22 ms.
import { argon2Sync } from "node:crypto";
import { constants, getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";

// On Linux each thread has its own niceness (setpriority(2)), so only this thread yields to reads;
// elsewhere the whole process would. At 19, the highest, reads gain little more than at 10, and a
// log-in on an overloaded machine takes 2.9 s instead of 1.0 (docs/performance.md).
const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
if (process.platform === "linux") {
  try {
    setPriority(Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
  } catch {
    // A sandbox may forbid it; hashing works without it.
  }
}

parentPort?.on("message", (/** @type {import("node:crypto").Argon2Parameters} */ parameters) => {
  parentPort?.postMessage(argon2Sync("argon2id", parameters));
});
