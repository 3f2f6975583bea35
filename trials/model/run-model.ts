import { parseArgs } from "node:util";
import { startPostgres } from "../../harness/postgres.ts";
import { migratePostgresStore } from "../../src/platform/storage/postgres/open.ts";
import { parseDatabaseUrl } from "../../src/platform/storage/settings.ts";
import { play } from "../../test/model/run-stories.ts";
import { openTheatre } from "../../test/model/service-under-test.ts";

// Plays random stories against the model of the whole service until the time is over, or replays
// the one that a report names.
// npm run trials -- model --engine postgres --minutes 10 --seed 1

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    minutes: { type: "string", default: "2" },
    stories: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    path: { type: "string" },
    replay: { type: "string" },
  },
});
const { engine, path, replay } = values;
if (engine !== "sqlite" && engine !== "postgres") {
  throw new Error(`--engine: must be sqlite or postgres, not ${engine}`);
}

await using resources = new AsyncDisposableStack();
let url: string | undefined;
if (engine === "postgres") {
  url = resources.use(await startPostgres()).url();
  const hosts = parseDatabaseUrl(url);
  if (hosts === undefined) throw new Error("PostgreSQL has no address");
  await migratePostgresStore(hosts);
}
const theatre = resources.use(await openTheatre(url));
const seed = Number(values.seed);
console.log(`${engine}, seed ${seed}`);
const untilMs = performance.now() + Number(values.minutes) * 60_000;
const isOver = () => performance.now() > untilMs;
const stories = Number(values.stories);
const played = await play(theatre, engine, { seed, stories, isOver, path, replay });

let steps = 0;
for (const [what, count] of [...theatre.tally].sort()) {
  console.log(`${String(count).padStart(8)}  ${what}`);
  steps += count;
}
const failures = played.failure === undefined ? 0 : 1;
console.log(`${played.stories} stories, ${steps} steps, failures ${failures}`);
if (played.failure !== undefined) {
  console.error(played.failure);
  process.exitCode = 1;
}
