import assert from "node:assert/strict";
import fc from "fast-check";
import { rfc3339 } from "../calendar.ts";
import { type PairName, somePair } from "../names.ts";
import { always, type Step, step } from "../step.ts";
import { assertExit } from "./operator.ts";

// What reads depend on. Which rates are older, held or rejected, the contract decides.

/** A change from each to each is no jump. */
const rates = ["1.1", "1.10", "1.65"];

export function rateImport(pair: PairName, rate: string): Step {
  return step({
    kind: "import a rate",
    sentence: `the operator imports ${pair} at ${rate}`,
    can: always,
    async run(model, stage) {
      const { base, quote } = stage.pairOf(pair);
      const line = `${base},${quote},${rate},${rfc3339(model.nowMs)}`;
      const args = ["rates", "import", "-", "--json"];
      const done = await stage.operate(args, `base,quote,rate,as_of\n${line}\n`);
      const isSuspended = model.pairs.get(pair)?.isSuspended ?? false;
      model.pairs.set(pair, { rate, asOfMs: model.nowMs, isSuspended });
      model.figures.getOrInsertComputed(pair, () => []).push({ rate, asOfMs: model.nowMs });
      return assertExit(done, 0);
    },
  });
}

export const someImport = fc
  .tuple(somePair, fc.constantFrom(...rates))
  .map((chosen) => rateImport(...chosen));

const changes = [
  ["delete", "deletes"],
  ["suspend", "suspends"],
  ["suspend", "suspends"],
  ["resume", "resumes"],
  ["resume", "resumes"],
] as const;

export const someChange = fc
  .tuple(fc.constantFrom(...changes), somePair)
  .map(([[command, words], pair]) =>
    step({
      kind: `${command} a pair`,
      sentence: `the operator ${words} ${pair}`,
      can: always,
      async run(model, stage) {
        const { base, quote } = stage.pairOf(pair);
        const { complaint, ...done } = await stage.operate(["rates", command, base, quote]);
        const state = model.pairs.get(pair);
        if (state === undefined) return assertExit({ ...done, complaint }, 1);
        if (command !== "delete") {
          state.isSuspended = command === "suspend";
          return assertExit({ ...done, complaint }, 0);
        }
        assert.equal(/was suspended/.test(complaint), state.isSuspended, complaint);
        model.pairs.delete(pair);
        return assertExit({ ...done, complaint: "" }, 0);
      },
    }),
  );
