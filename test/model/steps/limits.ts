import assert from "node:assert/strict";
import fc from "fast-check";
import type { Answer } from "../../support/client.ts";
import { DAY_MS, HOUR_MS } from "../calendar.ts";
import { assertRefusal, assertSuccess } from "../expected.ts";
import { endedMs, type KeyLimits, type KeyState, type Model } from "../model.ts";
import { type Person, someFromLast, someKeyNumber, someNode, somePerson } from "../names.ts";
import type { Step } from "../step.ts";
import type { Stage } from "../story-client.ts";
import { BAD_END, bodyOf, chosenLimits, endText, someLimits } from "./given-limits.ts";
import { createdKey, KEYS_PATH, NO_SUCH_KEY } from "./keys.ts";
import { withSession } from "./sessions.ts";

const KEYS_MAX = 5;

const shownLimits = ({ endsMs, perPeriod, perDay }: KeyLimits) => {
  return { expires_at: endText(endsMs), units_per_period: perPeriod, units_per_day: perDay };
};

/** A step of a person on one of their own keys or, without effect, on one of another account. */
const ofKey = (uses: {
  readonly kind: string;
  readonly does: string;
  readonly can?: (model: Readonly<Model>, person: Person) => boolean;
  readonly ask: (path: string, session: string, model: Model, stage: Stage) => Promise<Answer>;
  /** The check of the response where the key is active. */
  readonly expect: (answer: Answer, model: Model, key: KeyState, keys: KeyState[]) => string;
}) =>
  fc
    .record({
      person: somePerson,
      owner: fc.option(somePerson, { nil: undefined, freq: 8 }),
      number: someKeyNumber,
      nth: someFromLast,
    })
    .map(
      ({ person, owner = person, number, nth }): Step =>
        withSession({
          kind: uses.kind,
          does: `${uses.does} ${owner === person ? "" : `${owner}'s `}key ${number}`,
          ...{ person, nth },
          can: (model) =>
            model.key(owner, number) !== undefined && (uses.can?.(model, person) ?? true),
          ask: (model, stage, session) =>
            uses.ask(`${KEYS_PATH}/${model.key(owner, number)?.id}`, session, model, stage),
          expect(answer, model, _, account) {
            const key = model.key(owner, number);
            const isActive = key !== undefined && endedMs(key, model.nowMs) === undefined;
            if (owner !== person || !isActive) return assertRefusal(answer, NO_SUCH_KEY);
            return uses.expect(answer, model, key, account.keys);
          },
        }),
    );

export const someLimitChange = fc.tuple(someLimits, someNode).chain(([given, node]) =>
  ofKey({
    kind: "limit a key",
    does: `sets the limits ${JSON.stringify(given)} of`,
    ask: (path, session, model, stage) =>
      stage.call(node, "PUT", `${path}/limits`, { session, json: bodyOf(model, given) }),
    expect(answer, model, key, keys) {
      const limits = chosenLimits(model, given, key.createdMs, key.limits);
      if (limits === undefined) return assertRefusal(answer, BAD_END);
      key.limits = limits;
      const { perPeriod, perDay } = limits;
      for (const each of keys) {
        if (each.line === key.line) each.limits = { ...each.limits, perPeriod, perDay };
      }
      return assertSuccess(answer, 200, shownLimits(limits));
    },
  }),
);

export const someLimitLook = someNode.chain((node) =>
  ofKey({
    kind: "read limits",
    does: "reads the limits of",
    ask: (path, session, _, stage) => stage.call(node, "GET", `${path}/limits`, { session }),
    expect: (answer, _model, { limits }) => assertSuccess(answer, 200, shownLimits(limits)),
  }),
);

export const someRotation = fc
  .tuple(fc.constantFrom(undefined, 0, 1, 24, 720), someNode)
  .chain(([hours, node]) =>
    ofKey({
      kind: "rotate a key",
      does: `rotates, for ${hours ?? "the usual"} hours,`,
      can: (model, person) => model.account(person).keys.length < KEYS_MAX,
      ask(path, session, _, stage) {
        const json = hours === undefined ? {} : { overlap_hours: hours };
        return stage.call(node, "POST", `${path}/rotate`, { session, json });
      },
      expect(answer, model, key, keys) {
        const { nowMs } = model;
        // The end of the key that is replaced may be that of an overlap.
        const newest = keys.findLast(
          ({ line, limits: { endsMs } }) =>
            line === key.line && (endsMs === undefined || endsMs > nowMs),
        );
        assert.ok(newest !== undefined);
        const { days, endsMs } = newest.limits;
        const { perPeriod, perDay } = key.limits;
        const own = { endsMs: days === undefined ? endsMs : nowMs + days * DAY_MS, days };
        const overlapEndsMs = nowMs + (hours ?? 24) * HOUR_MS;
        if (hours === 0) key.revokedMs = nowMs;
        else if ((key.limits.endsMs ?? overlapEndsMs) >= overlapEndsMs) {
          key.limits = { ...key.limits, endsMs: overlapEndsMs };
        }
        return createdKey(answer, model, keys, { ...own, perPeriod, perDay }, key.line);
      },
    }),
  );
