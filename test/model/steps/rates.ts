import assert from "node:assert/strict";
import fc from "fast-check";
import { DAY_MS, rfc3339 } from "../calendar.ts";
import type { Model } from "../model.ts";
import { type PairName, somePair } from "../names.ts";
import { asOfText, outcomeOfImport } from "../pair-state.ts";
import { type Step, step } from "../step.ts";
import type { Stage } from "../story-client.ts";
import { assertExit } from "./operator.ts";

/** From 1.1 to exactly its half and one and a half times it, and just beyond. */
const rates = ["1.1", "1.10", "1.65", "0.55", "1.651", "0.549", "2.2", "0", "-1.1", "1,1"];

const times = [
  ["of the day before", "now", -DAY_MS],
  ["of now", "now", 0],
  ["of a day ahead", "now", DAY_MS],
  ["of more than a day ahead", "now", DAY_MS + 1],
  ["a millisecond older than the stored one", "stored", -1],
  ["as old as the stored one", "stored", 0],
  ["a millisecond newer than the stored one", "stored", 1],
] as const;

export type Dated = (typeof times)[number];

export function rateImport(pair: PairName, rate: string, [words, since, offsetMs]: Dated): Step {
  return step({
    kind: "import a rate",
    sentence: `the operator imports ${pair} at ${rate}, ${words}`,
    can: (model) => since === "now" || model.pairs.has(pair),
    async run(model, stage) {
      const { nowMs } = model;
      const current = model.pairs.get(pair);
      const asOfMs = (since === "now" ? nowMs : (current?.asOfMs ?? 0)) + offsetMs;
      const { base, quote } = stage.pairOf(pair);
      const line = `${base},${quote},"${rate}",${rfc3339(asOfMs)}`;
      const done = await stage.operate(
        ["rates", "import", "-", "--json"],
        `base,quote,rate,as_of\n${line}\n`,
      );

      const outcome = outcomeOfImport(current, { rate, asOfMs }, nowMs);
      const isNew = outcome !== "rejected" && model.addFigure(pair, { rate, asOfMs });
      const isOlder = outcome === "older";
      const counts = { stored: 0, older: 0, unchanged: 0, held: 0, rejected: 0 };
      const isUnchanged = isOlder && !isNew;
      const count = isUnchanged
        ? { ...counts, unchanged: 1 }
        : { ...counts, [isOlder ? "stored" : outcome]: 1, older: isOlder ? 1 : 0 };
      // Some of the stories' symbols are names of currencies.
      const { unknown_symbols: _unknown, ...counted } = JSON.parse(done.printed);
      assert.deepEqual(counted, count, done.complaint);
      if (outcome === "held" && current !== undefined) current.held = { rate, asOfMs };
      if (outcome === "stored") {
        const isSuspended = current?.isSuspended ?? false;
        model.serve(pair, { rate, asOfMs, isSuspended, held: undefined });
      }
      await assertHistory(model, stage, pair);
      await assertSeries(model, stage, pair);
      assertExit(done, ["stored", "older", "unchanged"].includes(outcome) ? 0 : 1);
      return outcome;
    },
  });
}

export const someImport = fc
  .tuple(somePair, fc.constantFrom(...rates), fc.constantFrom(...times))
  .map((chosen) => rateImport(...chosen));

const settlements = [
  ["release", "serves the held rate of"],
  ["drop", "forgets the held rate of"],
] as const;

export const someSettlement = fc
  .tuple(fc.constantFrom(...settlements), somePair)
  .map(([[command, words], pair]) =>
    step({
      kind: `${command} a held rate`,
      sentence: `the operator ${words} ${pair}`,
      can: (model) => model.pairs.has(pair),
      async run(model, stage) {
        const { base, quote } = stage.pairOf(pair);
        const done = await stage.operate(["rates", command, base, quote]);
        const state = model.pairs.get(pair);
        if (state?.held === undefined) return assertExit(done, 1);
        if (command === "release") model.serve(pair, { ...state, ...state.held });
        const settled = model.pairs.get(pair);
        if (settled !== undefined) settled.held = undefined;
        await assertHistory(model, stage, pair);
        return assertExit(done, 0);
      },
    }),
  );

export const someDeletion = somePair.map((pair) =>
  step({
    kind: "delete a pair",
    sentence: `the operator deletes ${pair}`,
    can: (model) => model.pairs.has(pair),
    async run(model, stage) {
      const { base, quote } = stage.pairOf(pair);
      const isSuspended = model.pairs.get(pair)?.isSuspended === true;
      const { complaint, ...done } = await stage.operate(["rates", "delete", base, quote]);
      assert.equal(/was suspended/.test(complaint), isSuspended, complaint);
      model.pairs.delete(pair);
      await assertHistory(model, stage, pair);
      await assertSeries(model, stage, pair);
      return assertExit({ ...done, complaint: "" }, 0);
    },
  }),
);

/** Compares the stored observations of a pair with every figure that it has served. */
async function assertHistory(model: Model, stage: Stage, pair: PairName): Promise<void> {
  const served = model.histories.get(pair) ?? [];
  assert.deepEqual(
    await stage.observationsOf(pair),
    served.map(({ rate, asOfMs }, index) => `${index + 1}: ${rate} as of ${asOfText(asOfMs)}`),
  );
}

/** Compares the series of a pair with every valid figure that was imported: each is there once. */
async function assertSeries(model: Model, stage: Stage, pair: PairName): Promise<void> {
  const figures = (model.series.get(pair) ?? []).toSorted((one, next) => one.asOfMs - next.asOfMs);
  assert.deepEqual(
    await stage.figuresOf(pair),
    figures.map(({ rate, asOfMs }) => `${rate} as of ${asOfText(asOfMs)}`),
  );
}

const switches = [
  ["suspend", "suspends"],
  ["resume", "resumes"],
] as const;

export const someSwitch = fc
  .tuple(fc.constantFrom(...switches), somePair)
  .map(([[command, words], pair]) =>
    step({
      kind: `${command} a pair`,
      sentence: `the operator ${words} ${pair}`,
      can: () => true,
      async run(model, stage) {
        const { base, quote } = stage.pairOf(pair);
        const done = await stage.operate(["rates", command, base, quote]);
        const state = model.pairs.get(pair);
        if (state === undefined) return assertExit(done, 1);
        state.isSuspended = command === "suspend";
        return assertExit(done, 0);
      },
    }),
  );
