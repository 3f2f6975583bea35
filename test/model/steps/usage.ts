import assert from "node:assert/strict";
import fc from "fast-check";
import { monthEndMs, monthStartMs, rfc3339 } from "../calendar.ts";
import { assertSuccess } from "../expected.ts";
import type { AccountState, Model } from "../model.ts";
import { type FromLast, type Person, someFromLast, someNode, somePerson } from "../names.ts";
import type { Step } from "../step.ts";
import type { Stage } from "../story-client.ts";
import { withSession } from "./sessions.ts";

/** The Usage resource. With a quota of 0 the utilization is 1. */
export function usageBody(model: Model, stage: Stage, account: AccountState) {
  const { nowMs } = model;
  const used = account.usedUnits(nowMs);
  const quota = model.quotaUnits(account);
  return {
    plan: stage.planOf(account.plan),
    billing_period: { start: rfc3339(monthStartMs(nowMs)), end: rfc3339(monthEndMs(nowMs)) },
    usage: {
      used_units: used,
      quota_units: quota,
      remaining_units: Math.max(quota - used, 0),
      utilization: quota === 0 ? 1 : Math.round((used * 10_000) / quota) / 10_000,
    },
  };
}

export function usageOf(person: Person, nth: FromLast = 0, node: 0 | 1 = 0): Step {
  return withSession({
    kind: "read usage",
    does: "reads the usage",
    person,
    nth,
    ask: (_, stage, session) => stage.call(node, "GET", "/v1/account/usage", { session }),
    expect: (answer, model, stage, account) =>
      assertSuccess(answer, 200, usageBody(model, stage, account)),
  });
}

export const someUsage = fc
  .tuple(somePerson, someFromLast, someNode)
  .map((chosen) => usageOf(...chosen));

export function dailyUsageOf(
  person: Person,
  nth: FromLast = 0,
  node: 0 | 1 = 0,
  days: number | undefined = undefined,
): Step {
  return withSession({
    kind: "read daily usage",
    does: `reads the usage of ${days === undefined ? "the last days" : `${days} days`}`,
    person,
    nth,
    ask(_, stage, session) {
      const query = days === undefined ? "" : `?days=${days}`;
      return stage.call(node, "GET", `/v1/account/usage/daily${query}`, { session });
    },
    expect(answer, model, _, account) {
      const expected = account.days(model.nowMs, days ?? 30);
      const outcome = assertSuccess(answer, 200, { days: expected });
      assert.equal(answer.headers["cache-control"], "no-store");
      return expected.length > 0 ? `${outcome} with units` : outcome;
    },
  });
}

export const someDailyUsage = fc
  .tuple(somePerson, someFromLast, someNode, fc.constantFrom(undefined, 1, 2, 31, 366))
  .map((chosen) => dailyUsageOf(...chosen));
