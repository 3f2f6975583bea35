import { join } from "node:path";

/** Compiled code of the tests and of the programs that they start, kept between runs. */
export const COMPILE_CACHE = join(import.meta.dirname, "../../node_modules/.cache/kurs-test");
