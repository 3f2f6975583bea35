import assert from "node:assert/strict";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS, monthEndMs, nextDayMs, rfc3339 } from "../calendar.ts";
import type { Model } from "../model.ts";
import { type FromLast, someKeyNumber, somePerson, wordOf } from "../names.ts";
import { always, step } from "../step.ts";
import type { Stage } from "../story-client.ts";

function moveTo(model: Model, stage: Stage, ms: number): string {
  model.nowMs = ms;
  stage.clock.set(rfc3339(ms));
  return "moved";
}

const spans = [
  ["a millisecond", 1],
  ["a second", 1000],
  ["ten minutes", 10 * MINUTE_MS],
  ["an hour", HOUR_MS],
  ["a day", DAY_MS],
  ["ten days", 10 * DAY_MS],
] as const;

const someSpan = fc.constantFrom(...spans).map(([words, spanMs]) =>
  step({
    kind: "time passes",
    sentence: `${words} ${spanMs === 10 * MINUTE_MS || spanMs === 10 * DAY_MS ? "pass" : "passes"}`,
    can: always,
    run: async (model, stage) => moveTo(model, stage, model.nowMs + spanMs),
  }),
);

/** The end of a period: most errors with time occur there. */
interface Edge {
  readonly words: string;
  edgeMs(model: Readonly<Model>): number | undefined;
}

const recent: readonly FromLast[] = [0, 1];

const someEdge = fc.oneof(
  fc.constant<Edge>({ words: "the month ends", edgeMs: ({ nowMs }) => monthEndMs(nowMs) }),
  fc.constant<Edge>({ words: "the day ends", edgeMs: ({ nowMs }) => nextDayMs(nowMs) }),
  fc.tuple(somePerson, fc.constantFrom(...recent)).map(
    ([person, nth]): Edge => ({
      words: `${person}'s ${wordOf(nth)} session ends`,
      edgeMs: (model) => model.session(person, nth)?.endsMs,
    }),
  ),
  fc.tuple(somePerson, someKeyNumber).map(
    ([person, number]): Edge => ({
      words: `${person}'s key ${number} ends`,
      edgeMs: (model) => model.key(person, number)?.limits.endsMs,
    }),
  ),
  somePerson.map(
    (person): Edge => ({
      words: `${person}'s last grant ends`,
      edgeMs: (model) => model.accounts.get(person)?.grants.at(-1)?.endsMs,
    }),
  ),
  somePerson.map(
    (person): Edge => ({
      words: `${person}'s own quota ends`,
      edgeMs: (model) => model.accounts.get(person)?.ownQuota?.untilMs,
    }),
  ),
  fc.tuple(somePerson, fc.constantFrom("verification" as const, "reset" as const)).map(
    ([person, purpose]): Edge => ({
      words: `${person}'s last ${purpose} token ends`,
      edgeMs: (model) => model.token(person, purpose, 0)?.endsMs,
    }),
  ),
);

const sides = [
  ["the last millisecond before", -1],
  ["the moment when", 0],
  ["the moment when", 0],
  ["the first millisecond after", 1],
] as const;

const someMove = fc.tuple(someEdge, fc.constantFrom(...sides)).map(([edge, [words, offsetMs]]) => {
  const target = (model: Readonly<Model>) => (edge.edgeMs(model) ?? 0) + offsetMs;
  return step({
    kind: "time moves to an edge",
    sentence: `time moves to ${words} ${edge.words}`,
    can: (model) => target(model) > model.nowMs,
    async run(model, stage) {
      assert.ok(target(model) > model.nowMs);
      return moveTo(model, stage, target(model));
    },
  });
});

export const someTime = fc.oneof(someSpan, { arbitrary: someMove, weight: 2 });
