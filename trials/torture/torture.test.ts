import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { EngineName } from "./plan.ts";
import { tellFailure } from "./report.ts";
import { torture } from "./torture.ts";

// `npm run trials -- torture` runs hundreds of rounds; these few are short.

const SEED = 20_261_121;

async function tortureBriefly(t: TestContext, engine: EngineName, nodes: number, rounds: number) {
  const settings = { engine, seed: SEED, from: 1, nodes, answersMax: 600, readers: 6 };
  t.diagnostic(`seed ${SEED}`);
  const goesOn = (done: number) => done < rounds;
  const onRound = (line: string) => t.diagnostic(line);
  const { failure, ...figures } = await torture({ ...settings, goesOn, onRound });
  if (failure !== undefined) assert.fail(tellFailure(failure, settings));
  return figures;
}

test("four kills -9 at random times lose no acknowledged change and charge no read twice", async (t) => {
  const { kills, inDoubt, done } = await tortureBriefly(t, "sqlite", 1, 4);

  assert.ok(kills >= 4);
  assert.ok(inDoubt > 0, "no read was in flight at any kill");
  for (const what of ["key revocations", "imports", "empty stores"]) {
    assert.ok((done[what] ?? 0) > 0, `no ${what} took place`);
  }
});

test("a killed node loses nothing, and the other one continues", async (t) => {
  const { kills, inDoubt } = await tortureBriefly(t, "postgres", 2, 3);

  assert.ok(kills >= 3);
  assert.ok(inDoubt > 0, "no read was in flight at any kill");
});
