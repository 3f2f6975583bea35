import { parseArgs } from "node:util";
import { tryChanges } from "./changes.ts";
import { tryCrowd } from "./crowd.ts";
import { tryEnds } from "./ends.ts";
import { openStage } from "./stage.ts";

// Caps, ends and grants under 64 connections: to nodes of this process, because the ends of days,
// keys and grants pass by a clock that the trial moves.
// npm run trials -- limits --engine postgres --times 1000 --seed 1

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    times: { type: "string", default: "1000" },
    seconds: { type: "string", default: "60" },
    changes: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const { engine } = values;
if (engine !== "sqlite" && engine !== "postgres") {
  throw new Error(`--engine: must be sqlite or postgres, not ${engine}`);
}
const [seed, times] = [Number(values.seed), Number(values.times)];
console.log(`${engine}, seed ${seed}`);
await using stage = await openStage(engine);
await tryEnds(stage, seed, times);
await tryChanges(stage, seed, Number(values.changes));
if (engine === "postgres") await tryCrowd(stage, seed, Number(values.seconds));
