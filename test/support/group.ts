import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { after, suite } from "node:test";
import { shareAmongFiles } from "./at-end.ts";
import { processorSeconds } from "./processor-seconds.ts";

// Runs the test files that its arguments name in this process, one after the other, and appends
// what each took to the file that KURS_TEST_COSTS names: `test/run.ts` starts it.

/** What was there before the first file: starting Node.js and loading this one. */
let counted = 0;

/** Appends what the processor has spent since the last call. */
function count(what: string): void {
  const { KURS_TEST_COSTS: costs } = process.env;
  const seconds = processorSeconds();
  const cost = { file: what, seconds: seconds - counted };
  if (costs !== undefined) appendFileSync(costs, `${JSON.stringify(cost)}\n`);
  counted = seconds;
}

shareAmongFiles();

for (const file of process.argv.slice(2)) {
  suite(relative(process.cwd(), file), async () => {
    await import(file);
    // Registered last, so that it runs after the file's own.
    after(() => count(relative(process.cwd(), file)));
  });
}

// A browser counts when it has ended.
after(() => count("what the files of a process share"));
