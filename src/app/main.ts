import { limits } from "./limits.ts";
import { runProgram } from "./program.ts";

await runProgram(limits);
