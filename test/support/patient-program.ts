import { runProgram } from "../../src/app/program.ts";
import { patience, patientServer } from "./patience.ts";

// Kurs, but a server in a test may take as long as the machine needs.
await runProgram({ ...patience, server: patientServer });
