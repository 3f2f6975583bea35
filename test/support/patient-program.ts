import { runProgram } from "../../src/app/program.ts";
import { patience } from "./patience.ts";

// Kurs, but a server in a test may take as long as the machine needs.
await runProgram({
  ...patience,
  server: { ...patience.server, busyTimeoutMs: patience.command.busyTimeoutMs },
});
