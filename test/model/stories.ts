import fc from "fast-check";
import { Model } from "./model.ts";
import { people } from "./names.ts";
import type { Step } from "./step.ts";
import { logIn, registration, someLogIn, someLogOut, someRegistration } from "./steps/accounts.ts";
import {
  grantList,
  someGrant,
  someGrantList,
  someGrantRevocation,
  someQuota,
} from "./steps/grants.ts";
import {
  keyCreation,
  keyList,
  someKeyCreation,
  someKeyList,
  someRevocation,
} from "./steps/keys.ts";
import { someLimitChange, someLimitLook, someRotation } from "./steps/limits.ts";
import { someOrder, someReset, someVerification } from "./steps/mail-tokens.ts";
import { someOddCalls } from "./steps/odd-requests.ts";
import {
  accountShown,
  planOf,
  someLook,
  someMark,
  someMove,
  somePlanChange,
  someUnits,
} from "./steps/operator.ts";
import { rateImport, someChange, someImport } from "./steps/rates.ts";
import { someRead } from "./steps/reads.ts";
import { someTime } from "./steps/time.ts";
import { dailyUsageOf, someDailyUsage, someUsage, usageOf } from "./steps/usage.ts";
import type { Stage } from "./story-client.ts";

/** Weights: enough reads to use up a quota, and enough log-ins for valid sessions. */
const kinds: readonly (readonly [weight: number, step: fc.Arbitrary<Step>])[] = [
  [90, someRead],
  [20, someTime],
  [18, someLogIn],
  [4, someLogOut],
  [6, someRegistration],
  [12, someKeyCreation],
  [6, someKeyList],
  [8, someRevocation],
  [30, someLimitChange],
  [2, someLimitLook],
  [14, someRotation],
  [14, someGrant],
  [3, someGrantRevocation],
  [4, someGrantList],
  [6, someQuota],
  [10, someUsage],
  [12, someDailyUsage],
  [16, someOrder],
  [10, someVerification],
  [16, someReset],
  [6, somePlanChange],
  [6, someMove],
  [2, someMark],
  [2, someLook],
  [8, someImport],
  [10, someChange],
  [8, someOddCalls],
];

const someStep = fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const STEPS_MAX = 80;

/** @param replay the value of this name in the report of a failure. */
export const someSteps = (replay?: string) =>
  fc.commands([someStep], {
    maxCommands: STEPS_MAX,
    size: "max",
    ...(replay === undefined ? {} : { replayPath: replay }),
  });

/** Start times of stories, shortly before the ends of months and years. */
const starts = [
  "2026-11-21T12:00:00.000Z",
  "2026-12-31T23:59:59.999Z",
  "2027-02-28T23:00:00.000Z",
  "2028-02-28T23:59:59.000Z",
  "2027-06-01T00:00:00.000Z",
];

export interface Beginning {
  readonly start: string;
  readonly freeUnits: number;
}

export const someBeginning: fc.Arbitrary<Beginning> = fc
  .record({ start: fc.constantFrom(...starts), freeUnits: someUnits })
  .map((beginning) => ({
    ...beginning,
    toString: () => `at ${beginning.start}, ${beginning.freeUnits} units on the plan free`,
  }));

/** Creates two accounts with a session and a key each, and two pairs: most stories need them. */
export async function begin({ start, freeUnits }: Beginning, stage: Stage): Promise<Model> {
  const model = new Model(Date.parse(start));
  stage.clock.set(start);
  const given = [
    planOf("free", freeUnits),
    rateImport("EUR/USD", "1.1"),
    rateImport("EUR/JPY", "1.65"),
    ...(["ada", "bob"] as const).flatMap((person) => [
      registration(person),
      logIn(person),
      keyCreation(person),
    ]),
  ];
  for (const step of given) await step.run(model, stage);
  return model;
}

/** Checks everything that the story has left, also what it has not read. */
export async function audit(model: Model, stage: Stage): Promise<void> {
  for (const person of people) {
    const looks = [
      accountShown(person),
      logIn(person),
      usageOf(person),
      usageOf(person, 1),
      dailyUsageOf(person, 0, 1, 366),
      keyList(person),
      grantList(person),
    ];
    for (const look of looks) if (look.check(model)) await look.run(model, stage);
  }
}
