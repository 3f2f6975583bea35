import assert from "node:assert/strict";
import fc from "fast-check";
import { uuidV7 } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { rfc3339 } from "../calendar.ts";
import { assertRefusal, assertSuccess } from "../expected.ts";
import { endedMs, type KeyLimits, type KeyState, type Model } from "../model.ts";
import {
  type FromLast,
  type Person,
  someFromLast,
  someKeyNumber,
  someNode,
  somePerson,
} from "../names.ts";
import type { Step } from "../step.ts";
import { BAD_END, bodyOf, chosenLimits, type GivenLimits, someLimits } from "./given-limits.ts";
import { withSession } from "./sessions.ts";

export const KEYS_PATH = "/v1/account/api-keys";
const KEYS_MAX = 3;
export const NO_SUCH_KEY = { status: 404, code: "not_found" } as const;

const listedAt = (nowMs: number) => (key: KeyState) => {
  const { id, name, secret, createdMs } = key;
  const item = { id, name, key_prefix: secret.slice(0, 17), created_at: rfc3339(createdMs) };
  const ended = endedMs(key, nowMs);
  return ended === undefined ? item : { ...item, revoked_at: rfc3339(ended) };
};

/** Checks the response with a new key, and adds it to those of its account. */
export function createdKey(
  answer: Answer,
  { nowMs }: Model,
  keys: KeyState[],
  limits: KeyLimits,
  line = keys.length + 1,
): string {
  const { id, api_key: secret } = answer.body;
  assert.match(String(id), uuidV7);
  assert.match(String(secret), /^svc_live_[0-9a-f]{64}$/);
  const key = {
    number: keys.length + 1,
    id: String(id),
    name: "for reports",
    secret: String(secret),
    createdMs: nowMs,
    revokedMs: undefined,
    limits,
    line,
  };
  keys.push(key);
  return assertSuccess(answer, 201, { ...listedAt(nowMs)(key), api_key: secret });
}

export function keyCreation(
  person: Person,
  nth: FromLast = 0,
  node: 0 | 1 = 0,
  given?: GivenLimits,
): Step {
  return withSession({
    kind: "create a key",
    does: `creates a key${given === undefined ? "" : ` with ${JSON.stringify(given)}`}`,
    person,
    nth,
    can: (model) => model.account(person).keys.length < KEYS_MAX,
    ask(model, stage, session) {
      const json = { name: " for reports ", ...(given && bodyOf(model, given)) };
      return stage.call(node, "POST", KEYS_PATH, { session, json });
    },
    expect(answer, model, _, { keys }) {
      const limits = chosenLimits(model, given ?? NO_LIMITS, model.nowMs);
      if (limits === undefined) return assertRefusal(answer, BAD_END);
      return createdKey(answer, model, keys, limits);
    },
  });
}

const NO_LIMITS: GivenLimits = { end: null, perPeriod: null, perDay: null };

export const someKeyCreation = fc
  .tuple(somePerson, someFromLast, someNode, fc.option(someLimits, { nil: undefined }))
  .map((chosen) => keyCreation(...chosen));

export function keyList(person: Person, nth: FromLast = 0, node: 0 | 1 = 0): Step {
  return withSession({
    kind: "list keys",
    does: "lists the keys",
    person,
    nth,
    ask: (_, stage, session) => stage.call(node, "GET", KEYS_PATH, { session }),
    expect: (answer, model, _, { keys }) =>
      assertSuccess(answer, 200, { api_keys: keys.map(listedAt(model.nowMs)) }),
  });
}

export const someKeyList = fc
  .tuple(somePerson, someFromLast, someNode)
  .map((chosen) => keyList(...chosen));

/** A person revokes one of their own keys or, without effect, one of another account. */
export const someRevocation = fc
  .record({
    person: somePerson,
    owner: fc.option(somePerson, { nil: undefined, freq: 4 }),
    number: someKeyNumber,
    nth: someFromLast,
    node: someNode,
  })
  .map(({ person, owner = person, number, nth, node }) =>
    withSession({
      kind: "revoke a key",
      does: `revokes ${owner === person ? "" : `${owner}'s `}key ${number}`,
      person,
      nth,
      can: (model) => model.key(owner, number) !== undefined,
      ask: (model, stage, session) =>
        stage.call(node, "DELETE", `${KEYS_PATH}/${model.key(owner, number)?.id}`, { session }),
      expect(answer, model) {
        const key = model.key(owner, number);
        if (key === undefined || owner !== person || endedMs(key, model.nowMs) !== undefined) {
          return assertRefusal(answer, NO_SUCH_KEY);
        }
        key.revokedMs = model.nowMs;
        return assertSuccess(answer, 204);
      },
    }),
  );
