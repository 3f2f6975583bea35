import assert from "node:assert/strict";
import fc from "fast-check";
import { assertFailure } from "../../support/answers.ts";
import { assertRefusal, assertSuccess, tooManyRequests } from "../expected.ts";
import { ADDRESS_CEILING } from "../limiter.ts";
import { someAddress, someNode, somePerson } from "../names.ts";
import { from } from "../stage.ts";
import { always, step } from "../step.ts";

const FLOOD = ADDRESS_CEILING + 5;

/** The same token by several at once. */
export const someTokenAtOnce = fc.tuple(somePerson, someNode).map(([person, node]) =>
  step({
    kind: "a token at once",
    sentence: `${person} verifies by the last verification token five times at once`,
    can: (model) => model.token(person, "verification", 0) !== undefined,
    async run(model, stage) {
      const token = model.token(person, "verification", 0);
      assert.ok(token !== undefined);
      const json = { token: token.text };
      const path = "/v1/auth/verification";
      const answers = await Promise.all(
        [0, 1, 2, 3, 4].map((turn) =>
          stage.call(turn % 2 === node ? 0 : 1, "POST", path, { json }),
        ),
      );
      const owner = model.ownerOf(token, "verification");
      const good = answers.filter(({ status }) => status === 204);
      const refused = answers.filter(({ status }) => status !== 204);
      assert.equal(good.length, owner === undefined ? 0 : 1);
      for (const answer of refused) assertFailure(answer, 400, "invalid_token");
      token.isSpent = true;
      if (owner !== undefined) owner.isVerified = true;
      return owner === undefined ? "none" : "one";
    },
  }),
);

/** Calls for as many emails: each has a window of its own, and the address one for all. */
export const someFlood = fc.constant(
  step({
    kind: "a flood from one address",
    sentence: `${FLOOD} strangers ask for a reset mail from the office at once`,
    can: always,
    async run(model, stage) {
      const headers = from(stage, "the office");
      const path = "/v1/auth/password-reset";
      const strangers = Array.from({ length: FLOOD }, (_, index) => `stranger-${index}`);
      const answers = await Promise.all(
        strangers.map((stranger, index) => {
          const json = { email: `${stranger}-${stage.emailOf("nobody")}` };
          return stage.call((index % 2) as 0 | 1, "POST", path, { json, headers });
        }),
      );

      const waits = strangers.map((stranger) =>
        model.limiter.spend("the office", stranger, model.nowMs),
      );
      const passed = answers.filter(({ status }) => status === 202);
      const refused = answers.filter(({ status }) => status !== 202);
      assert.equal(passed.length, waits.filter((wait) => wait === undefined).length);
      const wait = waits.find((each) => each !== undefined) ?? 0;
      for (const answer of passed) assertSuccess(answer, 202, {});
      for (const answer of refused) assertRefusal(answer, tooManyRequests(wait));
      return passed.length === 0 ? "none passes" : "some pass";
    },
  }),
);

/** Log-ins with a wrong password at once: the budget lets exactly its rest through. */
export const someGuesses = fc.tuple(somePerson, someAddress).map(([person, address]) =>
  step({
    kind: "guesses at once",
    sentence: `somebody guesses ${person}'s password six times at once from ${address}`,
    can: always,
    async run(model, stage) {
      const json = { email: stage.emailOf(person), password: "none of them" };
      const headers = from(stage, address);
      const answers = await Promise.all(
        [0, 1, 0, 1, 0, 1].map((node) =>
          stage.call(node as 0 | 1, "POST", "/v1/auth/login", { json, headers }),
        ),
      );
      const waits = answers.map(() => model.limiter.spend(address, person, model.nowMs));
      const statuses = waits.map((wait) => (wait === undefined ? 401 : 429));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), statuses.toSorted());
      const wait = waits.at(-1);
      for (const answer of answers.filter(({ status }) => status === 429)) {
        assertRefusal(answer, tooManyRequests(wait ?? 0));
      }
      return statuses.includes(401) ? "some tried" : "none tried";
    },
  }),
);
