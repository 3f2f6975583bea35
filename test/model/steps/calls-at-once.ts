import assert from "node:assert/strict";
import fc from "fast-check";
import { assertFailure } from "../../support/assertions.ts";
import type { Answer } from "../../support/client.ts";
import { ADDRESS_CEILING } from "../limiter.ts";
import { someAddress, someNode, somePerson } from "../names.ts";
import { always, step } from "../step.ts";
import { from } from "../story-client.ts";

const FLOOD = ADDRESS_CEILING + 5;
/** All wait for the row of one address: on a slow machine more would time out with 503. */
const AT_ONCE = 16;

/** The same token in several concurrent calls. */
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
        [0, 1, 2, 3, 4].map((index) =>
          stage.call(index % 2 === node ? 0 : 1, "POST", path, { json }),
        ),
      );
      const owner = model.ownerOf(token, "verification");
      const good = answers.filter(({ status }) => status === 204);
      const rejected = answers.filter(({ status }) => status !== 204);
      assert.equal(good.length, owner === undefined ? 0 : 1);
      for (const answer of rejected) assertFailure(answer, 400, "invalid_token");
      if (owner !== undefined) {
        owner.spend(token);
        owner.isVerified = true;
      }
      return owner === undefined ? "none" : "one";
    },
  }),
);

/** Calls for this many emails: each has its own window, and the address has one for all. */
export const someFlood = fc.constant(
  step({
    kind: "a flood from one address",
    sentence: `${FLOOD} mailboxes ask for a reset mail from the office, ${AT_ONCE} at once`,
    can: always,
    async run(model, stage) {
      const headers = from(stage, "the office");
      const path = "/v1/auth/password-reset";
      const mailboxes = Array.from({ length: FLOOD }, (_, index) => `mailbox-${index}`);
      const answers: Answer[] = [];
      for (let sent = 0; sent < FLOOD; sent += AT_ONCE) {
        const some = mailboxes.slice(sent, sent + AT_ONCE).map((mailbox, index) => {
          const json = { email: `${mailbox}-${stage.emailOf("nobody")}` };
          return stage.call((index % 2) as 0 | 1, "POST", path, { json, headers });
        });
        answers.push(...(await Promise.all(some)));
      }
      const waits = mailboxes.map((mailbox) =>
        model.limiter.spend("the office", mailbox, model.nowMs),
      );
      assertBudget(answers, waits, 202);
      return waits[0] === undefined ? "some pass" : "none passes";
    },
  }),
);

/** Concurrent log-ins with a wrong password: the limiter admits exactly the remaining calls. */
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
      assertBudget(answers, waits, 401);
      return waits[0] === undefined ? "some tried" : "none tried";
    },
  }),
);

/**
 * Exactly as many calls pass, and as many must wait this long, as the model predicts; which of them
 * is random.
 */
function assertBudget(
  answers: readonly Answer[],
  waits: readonly (number | undefined)[],
  status: number,
): void {
  assert.deepEqual(
    answers.map((answer) => `${answer.status} ${answer.headers["retry-after"] ?? ""}`).toSorted(),
    waits.map((wait) => (wait === undefined ? `${status} ` : `429 ${wait}`)).toSorted(),
  );
  for (const answer of answers) {
    if (answer.status === 429) assertFailure(answer, 429, "too_many_requests");
  }
}
