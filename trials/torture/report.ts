import type { PlanSettings } from "./plan.ts";
import type { Figures, TortureFailure } from "./torture.ts";

/** The figures of a run as text. */
export function tellFigures(figures: Figures): string {
  const { rounds, kills, requests, answers, chargedAnswers, inDoubt, starts, lost } = figures;
  const { recoverySecondsMax, recoverySecondsMedian, done } = figures;
  return [
    `${rounds} rounds, ${kills} kills`,
    `${requests} requests, ${answers} responses, ${chargedAnswers} of them charged`,
    `${inDoubt} reads in doubt`,
    `${starts} starts; to the first 200 at most ${recoverySecondsMax.toFixed(2)} s, ` +
      `in the median ${recoverySecondsMedian.toFixed(2)} s`,
    ...Object.entries(done).map(([what, times]) => `  ${what}: ${times}`),
    `lost: ${lost}`,
  ].join("\n");
}

/** What is wrong, what led to it, and how to repeat it. */
export function tellFailure(
  { round, complaints, plan, story }: TortureFailure,
  { engine, seed, nodes, answersMax, from }: PlanSettings & { readonly from: number },
): string {
  const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`).join("\n");
  const on = engine === "sqlite" ? engine : `${engine} --nodes ${nodes}`;
  const again = `npm run trials -- torture --engine ${on} --seed ${seed} --answers ${answersMax}`;
  return [
    `WRONG in round ${round} of seed ${seed} on ${engine}:\n${indented(complaints)}`,
    `the plan of the round: ${JSON.stringify(plan, undefined, 2)}`,
    `its events:\n${indented(story)}`,
    `repeat from the start: ${again} --from ${from} --rounds ${round - from + 1}`,
    `only that round:       ${again} --from ${round} --rounds 1`,
  ].join("\n");
}
