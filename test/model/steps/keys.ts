import assert from "node:assert/strict";
import fc from "fast-check";
import { uuidV7 } from "../../support/assertions.ts";
import { rfc3339 } from "../calendar.ts";
import { assertRefusal, assertSuccess } from "../expected.ts";
import type { KeyState } from "../model.ts";
import {
  type FromLast,
  type Person,
  someFromLast,
  someKeyNumber,
  someNode,
  somePerson,
} from "../names.ts";
import type { Step } from "../step.ts";
import { withSession } from "./sessions.ts";

const PATH = "/v1/account/api-keys";
const KEYS_MAX = 3;
const NO_SUCH_KEY = { status: 404, code: "not_found" } as const;

function listed({ id, name, secret, createdMs, revokedMs }: KeyState) {
  const item = { id, name, key_prefix: secret.slice(0, 17), created_at: rfc3339(createdMs) };
  return revokedMs === undefined ? item : { ...item, revoked_at: rfc3339(revokedMs) };
}

export function keyCreation(person: Person, nth: FromLast = 0, node: 0 | 1 = 0): Step {
  return withSession({
    kind: "create a key",
    does: "creates a key",
    person,
    nth,
    can: (model) => model.account(person).keys.length < KEYS_MAX,
    ask: (_, stage, session) =>
      stage.call(node, "POST", PATH, { session, json: { name: " for reports " } }),
    expect(answer, model, _, { keys }) {
      const { id, api_key: secret } = answer.body;
      assert.match(String(id), uuidV7);
      assert.match(String(secret), /^svc_live_[0-9a-f]{64}$/);
      const key = {
        number: keys.length + 1,
        id: String(id),
        name: "for reports",
        secret: String(secret),
        createdMs: model.nowMs,
        revokedMs: undefined,
      };
      keys.push(key);
      return assertSuccess(answer, 201, { ...listed(key), api_key: secret });
    },
  });
}

export const someKeyCreation = fc
  .tuple(somePerson, someFromLast, someNode)
  .map((chosen) => keyCreation(...chosen));

export function keyList(person: Person, nth: FromLast = 0, node: 0 | 1 = 0): Step {
  return withSession({
    kind: "list keys",
    does: "lists the keys",
    person,
    nth,
    ask: (_, stage, session) => stage.call(node, "GET", PATH, { session }),
    expect: (answer, _model, _stage, { keys }) =>
      assertSuccess(answer, 200, { api_keys: keys.map(listed) }),
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
        stage.call(node, "DELETE", `${PATH}/${model.key(owner, number)?.id}`, { session }),
      expect(answer, model) {
        const key = model.key(owner, number);
        if (key === undefined || owner !== person || key.revokedMs !== undefined) {
          return assertRefusal(answer, NO_SUCH_KEY);
        }
        key.revokedMs = model.nowMs;
        return assertSuccess(answer, 204);
      },
    }),
  );
