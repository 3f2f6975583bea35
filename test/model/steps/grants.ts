import assert from "node:assert/strict";
import fc from "fast-check";
import { DAY_MS, dayOf, HOUR_MS, monthEndMs, rfc3339 } from "../calendar.ts";
import { assertSuccess } from "../expected.ts";
import type { AccountState, Model } from "../model.ts";
import {
  type FromLast,
  type Person,
  someFromLast,
  someNode,
  somePerson,
  wordOf,
} from "../names.ts";
import { always, type Step, step } from "../step.ts";
import { assertExit, someUnits } from "./operator.ts";
import { withSession } from "./sessions.ts";

const ends = {
  "without an end": () => undefined,
  "for an hour": (nowMs: number) => nowMs + HOUR_MS,
  "for ten days": (nowMs: number) => nowMs + 10 * DAY_MS,
  "for the month": monthEndMs,
} as const;

const someEnd = fc.constantFrom(...(Object.keys(ends) as (keyof typeof ends)[]));

/** The option of a command with a time; an end of a day is stated as the date. */
function optionOf(name: string, ms: number | undefined): string[] {
  if (ms === undefined) return [];
  return [name, ms % DAY_MS === 0 ? dayOf(ms) : rfc3339(ms)];
}

/** A reference grants once. */
const invoice = (index: number) => `invoice ${index + 1}`;

export const someGrant = fc
  .tuple(somePerson, fc.constantFrom(1, 1, 2, 3, 5), someEnd)
  .map(([person, units, end]) =>
    step({
      kind: "grant units",
      sentence: `the operator grants ${person} ${units} units ${end}`,
      can: always,
      async run(model, stage) {
        const { nowMs } = model;
        const endsMs = ends[end](nowMs);
        const grants = model.accounts.get(person)?.grants;
        const done = await stage.operate([
          ...["units", "grant", stage.emailOf(person), String(units)],
          ...["--reference", invoice(grants?.length ?? 0), ...optionOf("--expires", endsMs)],
        ]);
        if (grants === undefined) return assertExit(done, 1);
        const [id = ""] = /\S+$/.exec(done.printed.trim()) ?? [];
        const grant = { number: grants.length + 1, id, units, grantedMs: nowMs, endsMs };
        grants.push({ ...grant, revokedMs: undefined });
        return assertExit(done, 0);
      },
    }),
  );

export const someGrantRevocation = fc.tuple(somePerson, someFromLast).map(([person, nth]) => {
  const find = (model: Readonly<Model>) => model.accounts.get(person)?.grants.at(-1 - nth);
  return step({
    kind: "revoke a grant",
    sentence: `the operator revokes the ${wordOf(nth)} grant of ${person}`,
    can: (model) => find(model) !== undefined,
    async run(model, stage) {
      const grant = find(model);
      assert.ok(grant !== undefined);
      const done = await stage.operate(["units", "revoke", grant.id]);
      grant.revokedMs ??= model.nowMs;
      // Of two revocations within a millisecond, either may be the first.
      if (grant.revokedMs !== model.nowMs) return assertExit(done, 1);
      const used = model.account(person).unitsFrom(grant);
      assert.match(done.printed, new RegExp(`: ${used} of ${grant.units} units? were used\n$`));
      return assertExit(done, 0);
    },
  });
});

function listed(account: AccountState, nowMs: number) {
  const time = (ms: number | undefined) => (ms === undefined ? null : rfc3339(ms));
  return account.grants.map((grant, index) => ({
    id: grant.id,
    units: grant.units,
    used_units: account.unitsFrom(grant),
    remaining_units: account.unitsLeftIn(grant, nowMs),
    reference: invoice(index),
    granted_at: rfc3339(grant.grantedMs),
    expires_at: time(grant.endsMs),
    revoked_at: time(grant.revokedMs),
  }));
}

export function grantList(person: Person, nth: FromLast = 0, node: 0 | 1 = 0): Step {
  return withSession({
    kind: "list grants",
    does: "lists the grants",
    person,
    nth,
    ask: (_, stage, session) => stage.call(node, "GET", "/v1/account/grants", { session }),
    expect: (answer, model, _, account) =>
      assertSuccess(answer, 200, { grants: listed(account, model.nowMs) }),
  });
}

export const someGrantList = fc
  .tuple(somePerson, someFromLast, someNode)
  .map((chosen) => grantList(...chosen));

/** A quota of one account alone; undefined units: its plan's again. */
export const someQuota = fc
  .tuple(somePerson, fc.option(someUnits, { nil: undefined, freq: 3 }), someEnd)
  .map(([person, units, end]) =>
    step({
      kind: "set an own quota",
      sentence: `the operator gives ${person} ${units ?? "the plan's"} units ${end}`,
      can: always,
      async run(model, stage) {
        const account = model.accounts.get(person);
        const untilMs = units === undefined ? undefined : ends[end](model.nowMs);
        const args = ["accounts", "quota", stage.emailOf(person), String(units ?? "plan")];
        const done = await stage.operate([...args, ...optionOf("--until", untilMs)]);
        if (account === undefined) return assertExit(done, 1);
        account.ownQuota = units === undefined ? undefined : { units, untilMs };
        return assertExit(done, 0);
      },
    }),
  );
