import { hold } from "../comparison.ts";
import type { Scenario } from "../scenario.ts";
import { readsOf, startFilledKurs } from "../stores/kurs.ts";
import {
  bareContestant,
  peerContestant,
  plainContestant,
  staticFastifyContestant,
} from "../yardsticks/targets.ts";

export const spread: Scenario = {
  name: "spread",
  summary: "metered reads over 100 accounts, beside bare node:http, Fastify, plain code and a peer",
  async run(bench) {
    const kurs = await startFilledKurs(bench, "data");
    const contestants = [
      await bareContestant(bench),
      await staticFastifyContestant(bench),
      readsOf("metered read", kurs),
      await plainContestant(bench),
      await peerContestant(bench),
    ];
    return hold(bench, {
      connections: [64, 256],
      contestants: contestants.filter((contestant) => contestant !== undefined),
      compared: [
        ["metered read", "Fastify + node:sqlite"],
        ["metered read", "better-auth's API keys"],
      ],
    });
  },
};
