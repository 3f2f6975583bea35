import assert from "node:assert/strict";
import fc from "fast-check";
import { rfc3339 } from "../calendar.ts";
import { endedMs, type Model } from "../model.ts";
import { type Person, type PlanName, somePerson, somePlan } from "../names.ts";
import { always, type Step, step } from "../step.ts";
import type { Operated, Stage } from "../story-client.ts";

/** Asserts a command's exit code. @returns the outcome for the tally. */
export function assertExit({ exitCode, complaint }: Operated, expected: number): string {
  assert.equal(exitCode, expected, complaint);
  assert.equal(complaint === "", expected === 0, complaint);
  return `exit code ${exitCode}`;
}

export function planOf(plan: PlanName, units: number): Step {
  return step({
    kind: "set a plan",
    sentence: `the operator gives the plan ${plan} ${units} units`,
    can: always,
    async run(model, stage) {
      const done = await stage.operate(["plans", "set", stage.planOf(plan), String(units)]);
      model.plans.set(plan, units);
      return assertExit(done, 0);
    },
  });
}

/** Small enough to be used up, and 32 for quotients whose fifth decimal place is a 5. */
export const someUnits = fc.constantFrom(0, 1, 2, 3, 5, 7, 8, 32, 1000);

export const somePlanChange = fc.tuple(somePlan, someUnits).map((chosen) => planOf(...chosen));

export const someMove = fc.tuple(somePerson, somePlan).map(([person, plan]) =>
  step({
    kind: "move an account",
    sentence: `the operator moves ${person} to the plan ${plan}`,
    can: always,
    async run(model, stage) {
      const args = ["accounts", "plan", stage.emailOf(person), stage.planOf(plan)];
      const done = await stage.operate(args);
      const account = model.accounts.get(person);
      const isKnown = account !== undefined && model.plans.has(plan);
      if (isKnown) account.plan = plan;
      return assertExit(done, isKnown ? 0 : 1);
    },
  }),
);

export const someMark = somePerson.map((person) =>
  step({
    kind: "mark as verified",
    sentence: `the operator marks ${person} as verified`,
    can: always,
    async run(model, stage) {
      const done = await stage.operate(["accounts", "verify", stage.emailOf(person)]);
      const account = model.accounts.get(person);
      if (account !== undefined) account.isVerified = true;
      return assertExit(done, account === undefined ? 1 : 0);
    },
  }),
);

/** The output of `kurs accounts show` for an account. */
export function accountShown(person: Person): Step {
  return step({
    kind: "show an account",
    sentence: `the operator looks at ${person}`,
    can: always,
    async run(model, stage) {
      const done = await stage.operate(["accounts", "show", stage.emailOf(person), "--json"]);
      if (!model.accounts.has(person)) return assertExit(done, 1);
      const { id: _id, created_at: _createdAt, ...shown } = JSON.parse(done.printed);
      assert.deepEqual(shown, summaryOf(model, stage, person));
      return assertExit(done, 0);
    },
  });
}

function summaryOf(model: Model, stage: Stage, person: Person) {
  const account = model.account(person);
  const { untilMs } = account.ownQuota ?? {};
  return {
    email: stage.emailOf(person),
    email_verified: account.isVerified,
    suspended_at: null,
    plan: stage.planOf(account.plan),
    active_keys: account.keys.filter((key) => endedMs(key, model.nowMs) === undefined).length,
    used_units: account.usedUnits(model.nowMs),
    quota_units: model.quotaUnits(account),
    remaining_units: model.unitsLeft(account),
    own_quota_units: account.ownQuota?.units ?? null,
    own_quota_until: untilMs === undefined ? null : rfc3339(untilMs),
    customer_number: null,
  };
}

export const someLook = somePerson.map(accountShown);
